import ReportParts

enum ViewerStyle {
    static let text = HTML.raw(
        """

        :root { --act: #e3edf8; --touch: #f6efe2; --proof: #a3231f; --flow: #5c6570; }
        @media (prefers-color-scheme: dark) {
          :root { --act: #1f3147; --touch: #35301f; --proof: #ff9d94; --flow: #9aa4ae; }
        }
        .scripted .panel { display: none; }
        .scripted .panel.picked { display: block; }
        .panel { margin: 1rem 0 2rem; }
        .long section { content-visibility: auto; contain-intrinsic-size: auto 70rem; }
        tr.pickable { cursor: pointer; }
        tr.pickable:hover, tr.picked-row { background: var(--panel); }
        tr.picked-row td:first-child { box-shadow: inset 3px 0 var(--link); }
        input[type=radio] { accent-color: var(--link); width: 1.1em; height: 1.1em; margin: 0; }
        input:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        fieldset.more { border: 1px solid var(--line); border-radius: 6px; margin: 1rem 0;
          display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; font-size: .92rem; }
        .choice { display: inline-flex; gap: .4rem; align-items: center; cursor: pointer; }
        .finding { border-left: 3px solid var(--proof); padding-left: .9rem; margin: .75rem 0; }
        .finding p { max-width: 60rem; }
        .finding ul { margin: .25rem 0; padding-left: 1.2rem; font-size: .9rem; }
        button.overlay[aria-pressed=true] { background: var(--proof); color: var(--paper);
          border-color: var(--proof); }
        .stage { display: grid; grid-template-columns: minmax(0, 3fr) minmax(20rem, 2fr);
          gap: 1.25rem; align-items: start; margin: 1rem 0; }
        .chart { position: relative; overflow-x: auto; }
        .chart svg { position: absolute; left: 0; top: 0; pointer-events: none; width: auto;
          height: auto; }
        table.lanes { font-size: .85rem; width: 100%; }
        table.lanes th, table.lanes td { border: 1px solid var(--line); padding: .35rem .5rem; }
        table.lanes thead th { white-space: normal; border-top: 3px solid var(--line); }
        table.lanes thead th.context { border-top-color: var(--bar); }
        table.lanes thead th.mailbox { border-top-color: var(--soft); }
        table.lanes thead th.store { border-top-color: var(--bar-2); }
        table.lanes .detail { font-weight: 400; color: var(--soft); opacity: 1; }
        table.lanes .lane-name { white-space: nowrap; }
        table.lanes .line { display: block; overflow-wrap: anywhere; }
        table.lanes td .line + .line { margin-top: .2rem; }
        table.lanes code { font-size: .93em; }
        table.lanes td { min-width: 5.5rem; padding-bottom: .95rem; }
        table.lanes td.acts { background: var(--act); min-width: 9rem; }
        table.lanes td.changed { background: var(--touch); color: var(--ink); }
        table.lanes tr.edge th, table.lanes tr.edge td { color: var(--soft);
          background: var(--panel); font-weight: 400; padding-bottom: .35rem; }
        table.lanes tr[data-step] { cursor: pointer; }
        table.lanes tr.shown th { box-shadow: inset 3px 0 var(--link); }
        table.lanes tr.shown td { border-top-color: var(--link); border-bottom-color: var(--link); }
        table.lanes .loss { display: block; font-family: monospace; white-space: pre; }
        table.lanes tr.evidence th { color: var(--proof); }
        button.step { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, monospace;
          padding: .15rem .5rem; white-space: nowrap; }
        button.step[aria-pressed=true] { border-color: var(--link); color: var(--link);
          font-weight: 700; }
        svg .flow { fill: none; stroke: var(--flow); stroke-width: 1.3; }
        svg polyline.proof { fill: none; stroke: var(--proof); stroke-width: 2;
          stroke-dasharray: 5 4; }
        svg circle.proof { fill: var(--proof); }
        svg text.proof { fill: var(--paper); font-size: 11px; font-weight: 700; }
        .inspector { position: sticky; top: .75rem; max-height: calc(100vh - 1.5rem);
          overflow-y: auto; border: 1px solid var(--line); border-radius: 8px;
          padding: .5rem .9rem .9rem; background: var(--panel); font-size: .88rem; }
        .inspector h4, .inspector h5 { margin: .4rem 0; }
        .inspector pre { background: var(--paper); white-space: pre-wrap;
          overflow-wrap: anywhere; padding: .5rem .7rem; }
        .inspector table { font-size: .92em; margin: .6rem 0; background: var(--paper); }
        .inspector caption { font-weight: 600; color: var(--ink); padding-bottom: .2rem; }
        .inspector th, .inspector td { border: 1px solid var(--line); padding: .25rem .45rem;
          width: 37%; overflow-wrap: anywhere; }
        .inspector th:first-child { width: 26%; }
        .inspector td .state, .inspector .value { display: block; width: fit-content; }
        .inspector table { table-layout: fixed; }
        .inspector .absent { color: var(--soft); font-style: italic; }
        mark { background: var(--warn-back); color: var(--warn); border-radius: 3px;
          padding: 0 .2rem; }
        @media (max-width: 60rem) {
          .stage { grid-template-columns: minmax(0, 1fr); }
          .inspector { position: static; max-height: none; }
        }
        @media print {
          .stage { display: block; }
          .inspector, .chart svg, input[type=radio], fieldset.more { display: none; }
          table.lanes { font-size: 8.5pt; }
          table.lanes td.acts { background: none; border: 2px solid var(--ink); }
          table.lanes td.changed { background: none; font-style: italic; }
          table.lanes tr.evidence th::after { content: " ● " attr(data-number); }
          button.step { display: inline; border: 0; background: none; padding: 0; color: inherit; }
          .command code { font-size: 8pt; }
          .panel details { display: none; }
        }

        """)
}
