package enum HTMLTable {
    /// An HTML table whose first column contains the titles of the rows.
    ///
    /// - Parameter filters: the titles of the columns by which a table can be filtered. Nil for a
    ///   table without searching and sorting.
    package static func render(_ table: Table, caption: String, filters: [String]? = nil) -> HTML {
        let rows = table.rows.map { row in
            HTML.element(
                "tr", row.enumerated().map { cell($0.offset, $0.element, table.columns) })
        }
        return wrap(
            caption: caption, head: head(table.columns), rows: rows, filters: filters)
    }

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

    /// On narrow screens, the title of the column is shown next to the value.
    package static func cell(_ content: [HTML], of column: Table.Column) -> HTML {
        column.alignment == .right
            ? .element("td", ["class": "number", "data-label": column.title], content)
            : .element("td", ["data-label": column.title], content)
    }

    package static func head(_ columns: [Table.Column]) -> [HTML] {
        columns.map { column in
            column.alignment == .right
                ? HTML.text("th", ["scope": "col", "class": "number"], column.title)
                : HTML.text("th", ["scope": "col"], column.title)
        }
    }
}
