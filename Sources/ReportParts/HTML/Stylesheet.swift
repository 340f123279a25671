/// The styles of every HTML page, for light mode, dark mode and print.
package enum Stylesheet {
    package static let text = HTML.raw(
        """

        :root {
          --paper: #fcfcfa; --ink: #1d2126; --soft: #5c6570; --line: #d9dcd6; --panel: #f2f3ee;
          --link: #0b5cad; --good: #1a6b3c; --good-back: #e2f2e6; --bad: #a3231f;
          --bad-back: #fbe5e2; --warn: #7a5200; --warn-back: #fbf0d4; --quiet-back: #ececea;
          --bar: #3f76b5; --bar-2: #b9773a;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #16191d; --ink: #e4e7ea; --soft: #9aa4ae; --line: #333a42; --panel: #1e2328;
            --link: #78b4f2; --good: #83d6a0; --good-back: #173423; --bad: #ff9d94;
            --bad-back: #451c1a; --warn: #f0c56a; --warn-back: #3d3013; --quiet-back: #262b31;
            --bar: #5f9be0; --bar-2: #d99a5b;
          }
        }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 1rem; }
        body {
          margin: 0; background: var(--paper); color: var(--ink);
          font: 16px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
        }
        header, main, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.5rem; }
        header {
          display: flex; gap: 2rem; align-items: baseline; flex-wrap: wrap;
          padding-top: 1rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line);
        }
        header .name { font-weight: 700; letter-spacing: .02em; }
        nav { display: flex; gap: 1.25rem; flex-wrap: wrap; }
        nav a { text-decoration: none; }
        nav a[aria-current] { color: var(--ink); font-weight: 600; }
        h1 { font-size: 1.9rem; line-height: 1.2; margin: 2rem 0 .75rem; }
        h2 { font-size: 1.35rem; margin: 2.5rem 0 .5rem; }
        h3 { font-size: 1.05rem; margin: 1.75rem 0 .35rem; }
        p, ul { max-width: 48rem; margin: .5rem 0; }
        a { color: var(--link); overflow-wrap: anywhere; }
        a:focus-visible, button:focus-visible, summary:focus-visible {
          outline: 2px solid var(--link); outline-offset: 2px;
        }
        .soft, caption, footer { color: var(--soft); }
        .scroll { overflow-x: auto; margin: 1rem 0; }
        table { border-collapse: collapse; font-size: .92rem; width: 100%; }
        caption { text-align: left; padding-bottom: .5rem; font-size: .88rem; }
        th, td {
          padding: .45rem .65rem; border-bottom: 1px solid var(--line); text-align: left;
          vertical-align: top;
        }
        thead th { border-bottom: 2px solid var(--line); white-space: nowrap; font-weight: 600; }
        tbody th { font-weight: 600; }
        table.figures tbody th { white-space: nowrap; }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        table.matrix { table-layout: fixed; }
        table.matrix th:first-child { width: 23%; }
        table.matrix td { border: 1px solid var(--line); }
        table.matrix tbody th { font-weight: 400; border: 1px solid var(--line); }
        table.matrix a { display: block; color: inherit; text-decoration: none; }
        table.matrix a:hover { text-decoration: underline; }
        .mark { font-weight: 650; }
        .letters { white-space: nowrap; }
        .letter { display: inline-block; width: 1.7em; text-align: center; font-weight: 650;
          border-radius: 3px; margin-right: .2rem; }
        .means { display: block; font-size: .9em; }
        .detail { display: block; font-size: .85em; opacity: .9; overflow-wrap: anywhere; }
        .good { background: var(--good-back); color: var(--good); }
        .bad { background: var(--bad-back); color: var(--bad); }
        .warn { background: var(--warn-back); color: var(--warn); }
        .quiet { background: var(--quiet-back); color: var(--soft); }
        .badge { padding: .1rem .5rem; border-radius: .75rem; font-size: .85rem; font-weight: 600;
          white-space: nowrap; }
        .legend { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; padding: 0; list-style: none; }
        code, pre {
          font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
          font-size: .86em;
        }
        pre {
          background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
          padding: .8rem 1rem; overflow-x: auto; line-height: 1.4; margin: .5rem 0;
        }
        .command {
          display: flex; gap: .75rem; align-items: center; max-width: none; margin: .5rem 0;
        }
        .command code { overflow-wrap: anywhere; }
        button {
          font: inherit; font-size: .8rem; padding: .1rem .6rem; border: 1px solid var(--line);
          border-radius: 4px; background: var(--panel); color: var(--ink); cursor: pointer;
        }
        .tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center;
          margin: 1rem 0 0; font-size: .92rem; }
        .tools input, .tools select { font: inherit; padding: .2rem .4rem; max-width: 14rem;
          border: 1px solid var(--line); border-radius: 4px; background: var(--paper);
          color: var(--ink); }
        button.sort { font: inherit; font-weight: 600; padding: 0; border: 0; background: none;
          color: inherit; }
        button.sort::after { content: " ↕"; color: var(--soft); font-weight: 400; }
        th[aria-sort="ascending"] button.sort::after { content: " ↑"; color: var(--ink); }
        th[aria-sort="descending"] button.sort::after { content: " ↓"; color: var(--ink); }
        svg.trend { width: 5.5rem; height: 1.6rem; display: inline-block; vertical-align: middle; }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden;
          clip-path: inset(50%); white-space: nowrap; }
        section:target > h3, section:target > h2 { color: var(--link); }
        details { margin: .5rem 0; }
        summary { cursor: pointer; }
        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr));
          gap: 1rem; margin: 1.5rem 0; }
        .card { border: 1px solid var(--line); border-radius: 8px; padding: .25rem 1.1rem .75rem;
          background: var(--panel); }
        .card h2 { margin-top: .75rem; font-size: 1.15rem; }
        .charts { display: flex; flex-wrap: wrap; gap: 1.25rem 2rem; margin: 1rem 0; }
        figure { margin: 0; flex: 1 1 26rem; max-width: 36rem; }
        figcaption { font-size: .88rem; color: var(--soft); margin-bottom: .25rem; }
        svg { width: 100%; height: auto; display: block; }
        svg text { fill: var(--ink); font-size: 13px; font-family: inherit; }
        svg .value { font-variant-numeric: tabular-nums; }
        svg .bar { fill: var(--bar); }
        svg .twin { fill: var(--bar-2); }
        svg .axis { stroke: var(--line); }
        svg .plot { stroke: var(--bar); fill: none; stroke-width: 1.5; }
        svg circle.plot { fill: var(--bar); }
        svg .line1 { stroke: var(--good); } svg circle.line1 { fill: var(--good); }
        svg .line2 { stroke: var(--bad); } svg circle.line2 { fill: var(--bad); }
        svg .line3 { stroke: var(--warn); } svg circle.line3 { fill: var(--warn); }
        svg .plot.twin { stroke: var(--bar-2); fill: none; }
        svg circle.plot.twin { fill: var(--bar-2); }
        svg .sample { stroke-opacity: .45; }
        svg .whisker { stroke: var(--ink); stroke-width: 1.5; }
        footer { border-top: 1px solid var(--line); margin-top: 3rem; padding-top: 1rem;
          padding-bottom: 2rem; font-size: .88rem; }
        footer p { max-width: none; }
        @media (max-width: 46rem) {
          header, main, footer { padding-left: 1rem; padding-right: 1rem; }
          header { gap: .5rem 1.25rem; padding-top: .75rem; padding-bottom: .75rem; }
          h1 { font-size: 1.5rem; margin: 1.25rem 0 .5rem; overflow-wrap: anywhere; }
          h2, h3 { overflow-wrap: anywhere; }
          nav { gap: .25rem 1.25rem; }
          table[data-tools] caption, table.matrix caption, table.stack caption { display: block; }
          figure { flex-basis: 100%; }
          svg text { font-size: 17px; }
          table.stack, table.stack tbody, table.stack tr, table.stack tbody th, table.stack td {
            display: block; width: auto; }
          table.stack thead, table.matrix thead { position: absolute; width: 1px; height: 1px;
            overflow: hidden; clip-path: inset(50%); }
          table.stack tbody tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
          table.stack tbody th, table.stack td { border: 0; padding: .1rem 0; text-align: left; }
          table.stack td:empty { display: none; }
          table.stack td::before { content: attr(data-label) " "; font-size: .88em;
            color: var(--soft); }
          .cards { grid-template-columns: 1fr; }
          th, td { padding: .4rem .5rem; }
          .command { flex-wrap: wrap; gap: .25rem .75rem; }
          pre { padding: .6rem .7rem; }
          table[data-tools], table[data-tools] tbody, table[data-tools] tbody tr,
          table[data-tools] tbody th { display: block; }
          table[data-tools] thead tr { display: flex; flex-wrap: wrap; }
          table[data-tools] thead th { padding: .2rem .9rem .2rem 0; border: 0; }
          table[data-tools] tbody tr { border-bottom: 1px solid var(--line);
            padding: .35rem 0; }
          table[data-tools] tbody tr[hidden], table[data-tools] td:empty { display: none; }
          table[data-tools] tbody th { border: 0; padding: 0; white-space: normal;
            overflow-wrap: anywhere; }
          table[data-tools] td { display: inline-block; border: 0; padding: 0 1rem 0 0; }
          table[data-tools] td::before { content: attr(data-label) " "; font-size: .88em;
            color: var(--soft); }
          table.matrix, table.matrix thead, table.matrix tbody, table.matrix tr,
          table.matrix th, table.matrix td { display: block; width: auto; }
          table.matrix th:first-child { width: auto; }
          table.matrix tbody tr { margin: 0 0 1rem; border: 1px solid var(--line);
            border-radius: 6px; overflow: hidden; }
          table.matrix tbody th { border: 0; background: var(--panel); }
          table.matrix td { border: 0; border-top: 1px solid var(--line); }
          table.matrix td::before { content: attr(data-label); display: block; font-size: .8em;
            color: var(--soft); }
        }
        @media print {
          header nav, button, .tools { display: none; }
          body { font-size: 11pt; }
          pre { white-space: pre-wrap; break-inside: avoid; }
          .card, figure, tr { break-inside: avoid; }
        }

        """)
}
