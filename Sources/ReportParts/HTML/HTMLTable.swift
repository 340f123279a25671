/// A table of figures as HTML.
package enum HTMLTable {
    /// Renders a table in which the first column contains the row titles.
    ///
    /// - Parameter filters: the titles of the columns to filter by; nil for a short table without
    ///   searching and sorting.
    package static func render(_ table: Table, caption: String, filters: [String]? = nil) -> HTML {
        let rows = table.rows.map { row in
            HTML.element(
                "tr", row.enumerated().map { cell($0.offset, $0.element, table.columns) })
        }
        return wrap(
            caption: caption, head: head(table.columns), rows: rows, filters: filters)
    }

    /// A table with a rendered header and rendered rows.
    package static func wrap(
        caption: String, head: [HTML], rows: [HTML], class name: String = "figures",
        filters: [String]? = nil
    ) -> HTML {
        let table = HTML.block(
            "table",
            filters.map { TableTools.attributes(class: name, filters: $0) } ?? ["class": name],
            [
                .text("caption", caption),
                .element("thead", [.element("tr", head)]),
                .block("tbody", rows),
            ])
        return .block("div", ["class": "scroll"], [table])
    }

    private static func cell(_ index: Int, _ text: String, _ columns: [Table.Column]) -> HTML {
        index == 0
            ? .text("th", ["scope": "row"], text) : cell([HTML(text)], of: columns[index])
    }

    /// A cell with the title of its column, which narrow screens show next to the value.
    package static func cell(_ content: [HTML], of column: Table.Column) -> HTML {
        column.alignment == .right
            ? .element("td", ["class": "number", "data-label": column.title], content)
            : .element("td", ["data-label": column.title], content)
    }

    /// The header cells with the titles of the columns.
    package static func head(_ columns: [Table.Column]) -> [HTML] {
        columns.map { column in
            column.alignment == .right
                ? HTML.text("th", ["scope": "col", "class": "number"], column.title)
                : HTML.text("th", ["scope": "col"], column.title)
        }
    }
}
