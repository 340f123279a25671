/// The script for searching, filtering and sorting a long table. It adds fields above the table and
/// turns the titles of columns into buttons. The table is complete without the script.
package enum TableTools {
    /// The attributes of a table for the script. They list the columns by which it can be filtered.
    package static func attributes(
        class name: String, filters: [String]
    ) -> KeyValuePairs<String, String> {
        ["class": name, "data-tools": filters.joined(separator: ",")]
    }

    package static let script = HTML.script(
        """
        document.querySelectorAll("table[data-tools]").forEach(function (table, number) {
          var head = table.tHead.rows[0], body = table.tBodies[0];
          var rows = Array.prototype.slice.call(body.rows);
          var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
          var bar = document.createElement("div");
          bar.className = "tools";
          function field(label, element) {
            var name = document.createElement("label");
            name.textContent = label + " ";
            element.setAttribute("aria-label", label);
            name.appendChild(element);
            bar.appendChild(name);
            return element;
          }
          var search = field("Search", document.createElement("input"));
          search.type = "search";
          var choices = [];
          table.dataset.tools.split(",").forEach(function (title) {
            var column = Array.prototype.findIndex.call(head.cells, function (cell) {
              return cell.textContent === title;
            });
            if (column < 0) { return; }
            var counts = new Map();
            rows.forEach(function (row) {
              var value = row.cells[column].textContent;
              counts.set(value, (counts.get(value) || 0) + 1);
            });
            if (counts.size < 2 || counts.size > 60) { return; }
            var select = field(title, document.createElement("select"));
            select.add(new Option("all", ""));
            Array.from(counts.keys()).sort().forEach(function (value) {
              var label = (value || "none") + " (" + counts.get(value) + ")";
              select.add(new Option(label, "=" + value));
            });
            choices.push({ column: column, select: select });
            select.addEventListener("change", show);
          });
          var shown = document.createElement("span");
          shown.className = "soft";
          shown.setAttribute("role", "status");
          bar.appendChild(shown);
          function show() {
            var words = search.value.toLowerCase().split(" ").filter(Boolean), count = 0;
            rows.forEach(function (row, index) {
              var fits = words.every(function (word) { return texts[index].includes(word); })
                && choices.every(function (choice) {
                  var value = choice.select.value;
                  return value === "" || "=" + row.cells[choice.column].textContent === value;
                });
              row.hidden = !fits;
              if (fits) { count += 1; }
            });
            shown.textContent = count + " of " + rows.length + " rows";
          }
          search.addEventListener("input", show);
          var units = { ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, B: 1, KiB: 1024, MiB: 1048576,
            GiB: 1073741824 };
          function value(row, column) {
            var cell = row.cells[column];
            // A range is sorted by its end, a trend by its newest value.
            var text = (cell.querySelector("span") || cell).textContent.split(" – ").pop().trim();
            var match = text.replace(/,/g, "").match(/^(-?[0-9.]+)\\s*([A-Za-zµ]+)?×?$/);
            if (!match) { return text === "" ? null : text.toLowerCase(); }
            return parseFloat(match[1]) * (units[match[2]] || 1);
          }
          function compare(a, b) {
            if (a === null || b === null) { return (a === null) - (b === null); }
            if (typeof a === "number" && typeof b === "number") { return a - b; }
            return String(a).localeCompare(String(b), "en", { numeric: true });
          }
          Array.prototype.forEach.call(head.cells, function (cell, column) {
            var button = document.createElement("button");
            button.type = "button";
            button.className = "sort";
            button.textContent = cell.textContent;
            cell.textContent = "";
            cell.appendChild(button);
            button.addEventListener("click", function () {
              var rising = cell.getAttribute("aria-sort") !== "ascending";
              Array.prototype.forEach.call(head.cells, function (other) {
                other.removeAttribute("aria-sort");
              });
              cell.setAttribute("aria-sort", rising ? "ascending" : "descending");
              rows.map(function (row, index) {
                return { row: row, index: index, value: value(row, column) };
              }).sort(function (a, b) {
                if (a.value === null || b.value === null) { return compare(a.value, b.value); }
                return (rising ? 1 : -1) * compare(a.value, b.value) || a.index - b.index;
              }).forEach(function (entry) { body.appendChild(entry.row); });
            });
          });
          var place = table.parentNode;
          place.parentNode.insertBefore(bar, place);
          show();
        });
        """)
}
