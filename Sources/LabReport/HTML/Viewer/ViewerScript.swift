import Foundation
import LabResults
import ReportParts

/// The script of the schedule viewer. It selects schedules, handles mouse and keyboard, and marks
/// findings. Without scripts, the page shows all schedules and their transcripts below each other.
enum ViewerScript {
    private static let dataID = "timelines"

    /// The timelines of a page and the scripts that display them. Empty for a page without
    /// timelines.
    static func parts(_ viewers: [ScheduleViewer]) -> [HTML] {
        let all = viewers.reduce(into: [String: Timeline]()) { all, viewer in
            all.merge(viewer.data) { first, _ in first }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard !all.isEmpty, let json = try? encoder.encode(all) else { return [] }
        return [
            .data(String(decoding: json, as: UTF8.self), id: dataID), picking, inspecting, marking,
            seeing,
        ]
    }

    /// A radio button, or a link to a panel, shows the panel and hides the other panels of the
    /// result.
    private static let picking = HTML.script(
        """
        (function () {
          document.documentElement.classList.add("scripted");
          function pick(input) {
            document.getElementsByName(input.name).forEach(function (other) {
              var panel = document.getElementById(other.value);
              if (panel) { panel.classList.toggle("picked", other === input); }
              var row = other.closest("tr");
              if (row) { row.classList.toggle("picked-row", other === input); }
            });
            var panel = document.getElementById(input.value);
            if (panel) { panel.dispatchEvent(new CustomEvent("picked", { bubbles: true })); }
          }
          document.addEventListener("change", function (event) {
            if (event.target.matches("input[type=radio]")) { pick(event.target); }
          });
          document.addEventListener("click", function (event) {
            var row = event.target.closest("tr.pickable");
            if (!row || event.target.closest("input, button, a")) { return; }
            var input = row.querySelector("input");
            if (input) { input.checked = true; pick(input); }
          });
          function follow() {
            var target = location.hash.length > 1 && document.getElementById(
              decodeURIComponent(location.hash.slice(1)));
            var panel = target && target.closest(".panel");
            if (!panel) { return; }
            var input = document.querySelector("input[value='" + CSS.escape(panel.id) + "']");
            if (input) { input.checked = true; pick(input); }
            if (target.tagName === "DETAILS") { target.open = true; }
            target.scrollIntoView();
          }
          window.addEventListener("hashchange", follow);
          document.addEventListener("DOMContentLoaded", function () {
            document.querySelectorAll("input[type=radio]:checked").forEach(pick);
            follow();
          });
        })();
        """)

    /// Shows the state before and after the step under the pointer, if the pointer is over a step.
    /// Otherwise it shows that of the selected step.
    private static let inspecting = HTML.script(
        """
        (function () {
          var timelines = JSON.parse(document.getElementById("timelines").textContent);
          function make(name, className, text) {
            var element = document.createElement(name);
            if (className) { element.className = className; }
            if (text !== undefined) { element.textContent = text; }
            return element;
          }
          function states(timeline, index) {
            var before = timeline.start.slice();
            for (var i = 0; i < index; i += 1) {
              timeline.steps[i].changes.forEach(function (change) {
                before[change.lane] = change.items;
              });
            }
            var after = before.slice();
            timeline.steps[index].changes.forEach(function (change) {
              after[change.lane] = change.items;
            });
            return { before: before, after: after };
          }
          function named(items, name) {
            return items.filter(function (item) { return item.name === name; })[0];
          }
          function cell(item, other, isWide) {
            var cell = make("td");
            if (isWide) { cell.colSpan = 2; }
            if (!item) { cell.appendChild(make("span", "absent", "not there")); return cell; }
            cell.appendChild(make(
              other && other.mark === item.mark ? "span" : "mark", "state", item.mark));
            item.values.forEach(function (value) {
              var isNew = !isWide && (!other || other.values.indexOf(value) === -1);
              cell.appendChild(make(isNew ? "mark" : "span", "value", value));
            });
            return cell;
          }
          function row(name, before, after) {
            var row = make("tr");
            var head = make("th", "", name);
            head.scope = "row";
            row.appendChild(head);
            var isSame = JSON.stringify(before) === JSON.stringify(after);
            if (isSame) { row.appendChild(cell(after, after, true)); return row; }
            row.className = "differs";
            row.appendChild(cell(before, after));
            row.appendChild(cell(after, before));
            return row;
          }
          function table(lane, before, after) {
            var table = make("table", "state " + lane.kind);
            table.dataset.lane = lane.name;
            table.appendChild(make("caption", "", lane.name));
            var head = make("tr");
            [lane.kind === "mailbox" ? "item" : lane.kind === "store" ? "row" :
             lane.kind === "thread" ? "queue or lock" : "object",
              "before", "after"].forEach(function (title) {
              var cell = make("th", "", title);
              cell.scope = "col";
              head.appendChild(cell);
            });
            table.appendChild(make("thead")).appendChild(head);
            var body = table.appendChild(make("tbody"));
            var names = before.concat(after).map(function (item) { return item.name; });
            names.filter(function (name, index) {
              return names.indexOf(name) === index;
            }).forEach(function (name) {
              body.appendChild(row(name, named(before, name), named(after, name)));
            });
            if (names.length === 0) {
              var empty = body.appendChild(make("tr")).appendChild(make("td", "absent", "empty"));
              empty.colSpan = 3;
            }
            return table;
          }
          function show(panel, index) {
            var timeline = timelines[panel.id];
            var step = timeline.steps[index];
            var box = panel.querySelector(".inspector");
            var state = states(timeline, index);
            var place = timeline.lanes[step.lane].name +
              (step.session ? ", session " + step.session : ", delivered");
            box.textContent = "";
            box.dataset.step = step.name;
            box.appendChild(make("h4", "", step.name + " in " + place));
            box.appendChild(make("pre", "", step.lines.map(function (line) {
              return (line.isDetail ? "    " : "") + line.text;
            }).join("\\n")));
            timeline.lanes.forEach(function (lane, i) {
              box.appendChild(table(lane, state.before[i], state.after[i]));
            });
            box.appendChild(make("h5", "", step.sql.length ? "SQL" : "No SQL"));
            if (step.sql.length) {
              box.appendChild(make("pre", "sql", step.sql.join("\\n")));
            }
            panel.querySelectorAll("tr[data-step]").forEach(function (row) {
              row.classList.toggle("shown", Number(row.dataset.step) === index);
            });
          }
          function choose(panel, index) {
            panel.dataset.chosen = index;
            panel.querySelectorAll("button.step").forEach(function (button, i) {
              button.setAttribute("aria-pressed", String(i === index));
              button.tabIndex = i === index ? 0 : -1;
            });
            show(panel, index);
          }
          function at(event) {
            var row = event.target.closest ? event.target.closest("tr[data-step]") : null;
            return row ? { panel: row.closest(".panel"), index: Number(row.dataset.step) } : null;
          }
          document.addEventListener("mouseover", function (event) {
            var place = at(event);
            if (place) { show(place.panel, place.index); }
          });
          document.addEventListener("mouseout", function (event) {
            var place = at(event);
            if (!place || at({ target: event.relatedTarget || document })) { return; }
            show(place.panel, Number(place.panel.dataset.chosen));
          });
          document.addEventListener("click", function (event) {
            var place = at(event);
            if (place) { choose(place.panel, place.index); }
          });
          document.addEventListener("focusin", function (event) {
            var place = event.target.matches("button.step") ? at(event) : null;
            if (place) { choose(place.panel, place.index); }
          });
          document.addEventListener("keydown", function (event) {
            if (!event.target.matches("button.step")) { return; }
            var buttons = Array.from(event.target.closest("tbody").querySelectorAll("button.step"));
            var index = buttons.indexOf(event.target);
            var target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0,
              End: buttons.length - 1 }[event.key];
            if (target === undefined || !buttons[target]) { return; }
            event.preventDefault();
            buttons[target].focus();
          });
          document.addEventListener("seen", function (event) {
            var panel = event.target;
            if (timelines[panel.id].steps.length) { choose(panel, Number(panel.dataset.first)); }
          });
        })();
        """)

    /// Fills a panel when it becomes visible. If the page has few panels, all are filled
    /// immediately.
    private static let seeing = HTML.script(
        """
        document.addEventListener("DOMContentLoaded", function () {
          function tell(panel) {
            panel.dispatchEvent(new CustomEvent("seen", { bubbles: true }));
          }
          var panels = Array.from(document.querySelectorAll(".panel"));
          if (panels.length <= 40) { panels.forEach(tell); return; }
          document.documentElement.classList.add("long");
          var observer = new IntersectionObserver(function (entries) {
            entries.forEach(function (entry) {
              if (!entry.isIntersecting) { return; }
              observer.unobserve(entry.target);
              tell(entry.target);
            });
          }, { rootMargin: "600px" });
          panels.forEach(function (panel) { observer.observe(panel); });
        });
        """)

    /// Draws lines from a step to the lanes that it changed, and along the steps of a finding.
    private static let marking = HTML.script(
        """
        (function () {
          var space = "http://www.w3.org/2000/svg";
          function draw(name, attributes, parent) {
            var shape = document.createElementNS(space, name);
            Object.keys(attributes).forEach(function (key) {
              shape.setAttribute(key, attributes[key]);
            });
            return parent.appendChild(shape);
          }
          function flow(svg, from, to, y, isTaken) {
            var isRight = to.left > from.left;
            var start = isRight ? from.right : from.left;
            var end = isRight ? to.left + 2 : to.right - 2;
            if (isTaken) { var swap = start; start = end; end = swap; isRight = !isRight; }
            var tip = isRight ? end - 6 : end + 6;
            draw("path", { "class": "flow", d: "M" + start + " " + y + "H" + end + "M" + tip +
              " " + (y - 4) + "L" + end + " " + y + "L" + tip + " " + (y + 4) }, svg);
          }
          function redraw(panel) {
            var chart = panel.querySelector(".chart");
            var old = chart.querySelector("svg");
            if (old) { old.remove(); }
            var origin = chart.getBoundingClientRect();
            if (!origin.width) { return; }
            var svg = draw("svg", { "aria-hidden": "true", width: chart.scrollWidth,
              height: chart.scrollHeight }, chart);
            function box(element) {
              var box = element.getBoundingClientRect();
              var left = box.left - origin.left + chart.scrollLeft;
              var top = box.top - origin.top + chart.scrollTop;
              return { left: left, right: left + box.width, top: top, bottom: top + box.height };
            }
            chart.querySelectorAll("tr[data-step]").forEach(function (row) {
              var acts = row.querySelector(".acts");
              row.querySelectorAll(".changed").forEach(function (cell) {
                var from = box(acts);
                flow(svg, from, box(cell), from.bottom - 8, cell.classList.contains("taken"));
              });
            });
            var button = panel.querySelector("button.overlay[aria-pressed=true]");
            var marked = button ? button.dataset.steps.split(" ").map(Number) : [];
            var points = [];
            chart.querySelectorAll("tr[data-step]").forEach(function (row) {
              var number = marked.indexOf(Number(row.dataset.step));
              row.classList.toggle("evidence", button !== null && number !== -1);
              var head = row.querySelector("th");
              if (!button || number === -1) { delete head.dataset.number; return; }
              head.dataset.number = number + 1;
              var acts = box(row.querySelector(".acts"));
              points.push([acts.left, (acts.top + acts.bottom) / 2]);
            });
            if (points.length > 1) {
              draw("polyline", { "class": "proof", points: points.join(" ") }, svg);
            }
            points.forEach(function (point, i) {
              draw("circle", { "class": "proof", cx: point[0], cy: point[1], r: 9 }, svg);
              draw("text", { "class": "proof", x: point[0], y: point[1] + 4,
                "text-anchor": "middle" }, svg).textContent = i + 1;
            });
          }
          function press(button, isPressed) {
            var panel = button.closest(".panel");
            panel.querySelectorAll("button.overlay").forEach(function (other) {
              other.setAttribute("aria-pressed", String(other === button ? isPressed : false));
            });
            redraw(panel);
          }
          document.addEventListener("click", function (event) {
            var button = event.target.closest("button.overlay");
            if (button) { press(button, button.getAttribute("aria-pressed") !== "true"); }
          });
          document.addEventListener("picked", function (event) { redraw(event.target); });
          document.addEventListener("seen", function (event) {
            var panel = event.target;
            var first = panel.querySelector("button.overlay");
            if (first) { press(first, true); }
            new ResizeObserver(function () { redraw(panel); }).observe(
              panel.querySelector("table.lanes"));
          });
        })();
        """)
}
