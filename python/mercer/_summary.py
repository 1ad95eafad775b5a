"""What a notebook shows of an estimator: its parameters, and of a fitted one the short form of a report."""
from __future__ import annotations

import html
import math
from typing import Any, Dict, List

_MOST_COMPONENTS = 10  # lines of the table of components
_MOST_FIGURES = 8


def facts_of(summary: Dict[str, Any]) -> Dict[str, str]:
    """What is worth knowing first of a model, as texts by their names."""
    facts = {"rows": f"{summary['n']}", "columns": f"{summary['dim']}"}
    if summary.get("kernel"):
        facts["kernel"] = summary["kernel"].get("formula") or summary["kernel"]["name"]
    shares = _numbers(summary.get("explained_variance_ratio"))
    if shares:
        facts["variance explained"] = f"{100 * sum(shares):.1f} % by {len(shares)}"
    if "plan" in summary:
        facts["computed by"] = f"{summary['plan']['operator']}, {summary['plan']['solver']}"
    residuals = _numbers(summary.get("residuals"))
    if residuals:
        facts["largest residual"] = f"{max(residuals):.1e} (asked {summary['tolerance']:.0e})"
    certificate = summary.get("certificate")
    if certificate:
        missed = "none: verified" if certificate.get("complete") else "not verified"
        facts["components missed"] = f"{missed} ({certificate.get('kind')})"
    for name, value in list(_scalars(summary.get("figures") or {}).items())[:_MOST_FIGURES]:
        facts[name.replace("_", " ")] = f"{value:.4g}"
    facts["converged"] = "yes" if summary["converged"] else "no"
    return facts


def html_of(words: str, summary: Dict[str, Any]) -> str:
    """The estimator's own words, and what its model is (an empty summary: it has none)."""
    page = f"<div><pre>{html.escape(words)}</pre>"
    if summary:
        page += "<table>" + "".join(_row(html.escape(name), html.escape(value))
                                    for name, value in facts_of(summary).items()) + "</table>"
        page += _components(summary)
        for warning in summary.get("warnings") or []:
            page += f"<p>{html.escape(warning['code'])}: {html.escape(warning['message'])}</p>"
    return page + "</div>"


def _components(summary: Dict[str, Any]) -> str:
    """A line for each component: what it explains, as a number and a bar."""
    shares = summary.get("explained_variance_ratio") or []
    if not shares or not _numbers(shares):
        return ""
    most = max(_numbers(shares))
    lines: List[str] = []
    for place, share in enumerate(shares[:_MOST_COMPONENTS], 1):
        known = share is not None and math.isfinite(share)
        width = round(160 * max(0.0, share) / most) if known and most > 0 else 0
        bar = f"<div style='background:#4477aa;height:0.8em;width:{width}px'></div>"
        lines.append(_row(f"PC{place}", (f"{100 * share:.1f} %" if known else "unknown") + "</td><td>" + bar))
    more = len(shares) - _MOST_COMPONENTS
    return "<table>" + "".join(lines) + "</table>" + (f"<p>and {more} more components</p>" if more > 0 else "")


def _row(name: str, cells: str) -> str:
    return f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>{cells}</td></tr>"


def _numbers(values: Any) -> List[float]:
    return [value for value in values or [] if value is not None and math.isfinite(value)]


def _scalars(figures: Dict[str, Any]) -> Dict[str, float]:
    return {name: value for name, value in figures.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)}
