import CoreDataEngine
import Foundation
import LabFiles
import LabScenario

/// A stored transcript that differs from the schedule's current transcript.
package struct GoldenChange: Sendable {
    package let path: String
    package let old: String?
    package let new: String
}

extension ScenarioSuite {
    /// The transcripts of pinned schedules that are missing or differ. The function does not write
    /// files.
    package func goldenChanges(_ paths: [String]) throws(InputErrors) -> [GoldenChange] {
        var changes: [GoldenChange] = []
        for file in try load(paths) {
            guard case .loaded(let variants) = file, let loaded = variants.first,
                !loaded.scenario.pinned.isEmpty, let cell = loaded.scenario.cells.first
            else { continue }
            changes += try withFolder { (folder) throws(InputErrors) in
                let runner = try makeRunner(loaded, cell, folder)
                defer { runner.world.lab.store.close() }
                var changed: [GoldenChange] = []
                for golden in try PinnedRuns(runner: runner).run() {
                    let old: String?
                    do throws(FileProblem) { old = try golden.kept() } catch {
                        throw InputErrors([
                            InputError(
                                file: golden.path, problem: error.what,
                                remedy: "remove it, or replace it with a regular file")
                        ])
                    }
                    if old == golden.text { continue }
                    changed.append(GoldenChange(path: golden.path, old: old, new: golden.text))
                }
                return changed
            }
        }
        return changes
    }
}
