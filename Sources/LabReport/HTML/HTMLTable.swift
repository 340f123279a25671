/// A table of figures as HTML.
enum HTMLTable {
    /// Renders a table whose first column names its rows.
    static func render(_ table: Table, caption: String) -> HTML {
        let head = table.columns.map { column in
            column.alignment == .right
                ? HTML.text("th", ["scope": "col", "class": "number"], column.title)
                : HTML.text("th", ["scope": "col"], column.title)
        }
        let rows = table.rows.map { row in
            HTML.element(
                "tr", row.enumerated().map { cell($0.offset, $0.element, table.columns) })
        }
        return wrap(caption: caption, head: head, rows: rows)
    }

    /// A table of cells that the caller made.
    static func wrap(
        caption: String, head: [HTML], rows: [HTML], class name: String = "figures"
    ) -> HTML {
        let table = HTML.block(
            "table", ["class": name],
            [
                .text("caption", caption),
                .element("thead", [.element("tr", head)]),
                .block("tbody", rows),
            ])
        return .block("div", ["class": "scroll"], [table])
    }

    private static func cell(_ index: Int, _ text: String, _ columns: [Table.Column]) -> HTML {
        if index == 0 { return .text("th", ["scope": "row"], text) }
        return columns[index].alignment == .right
            ? .text("td", ["class": "number"], text) : .text("td", text)
    }
}
