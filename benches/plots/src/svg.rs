//! Makes a drawing readable on light and dark pages.

/// Text, and lines of axes.
pub(crate) const INK: u32 = 0x1F2328;
/// Grid lines.
pub(crate) const FAINT: u32 = 0xD1D9E0;

/// Colors that replace these on dark pages.
const INK_ON_DARK: &str = "#E6EDF3";
const FAINT_ON_DARK: &str = "#3D444D";

/// Adds a style by which a viewer that prefers dark pages replaces the two colors. The drawing has
/// no background.
pub(crate) fn with_dark_style(svg: &str) -> String {
    let Some(end_of_tag) = svg.find("<svg").and_then(|start| svg[start..].find('>').map(|end| start + end + 1)) else {
        return svg.to_owned();
    };
    let rules = |color: u32, dark: &str| {
        format!("[fill=\"#{color:06X}\"]{{fill:{dark}}}[stroke=\"#{color:06X}\"]{{stroke:{dark}}}")
    };
    let style = format!(
        "\n<style>text{{font-family:system-ui,sans-serif}}@media(prefers-color-scheme:dark){{{}{}}}</style>",
        rules(INK, INK_ON_DARK),
        rules(FAINT, FAINT_ON_DARK)
    );
    format!("{}{style}{}", &svg[..end_of_tag], &svg[end_of_tag..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_is_the_first_element() {
        let svg = with_dark_style("<svg width=\"1\"><text fill=\"#1F2328\">a</text></svg>");
        assert!(svg.starts_with("<svg width=\"1\">\n<style>"), "{svg}");
        assert!(svg.contains("[fill=\"#1F2328\"]{fill:#E6EDF3}") && svg.ends_with("</text></svg>"), "{svg}");
    }
}
