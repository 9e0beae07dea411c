"""What all charts share."""

import altair as alt


def styled(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
    return (
        chart.configure(font=font, background="white")
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            gridColor="#e8eaed",
            domainColor="#9aa0a6",
            tickColor="#9aa0a6",
        )
        .configure_legend(labelFontSize=12, titleFontSize=11, titleFontWeight="normal", titleColor="#5f6368")
    )
