import ContextHistory
import CoreDataEngine
import CoreDataStore
import Foundation

extension LabWorld {
    /// Runs blocks inside the notifications of the contexts, as the scenario file specifies.
    func observeWaiting() {
        for context in contexts {
            let (saving, changing) = (context.plan.waitsOnSave, context.plan.waitsOnChange)
            if saving.isEmpty, changing.isEmpty { continue }
            let observer = WaitingObserver()
            context.observer = observer
            if !saving.isEmpty {
                observer.observe(.NSManagedObjectContextDidSave, of: context.context) {
                    [unowned self, unowned context] in
                    context.endSave?()
                    runWaiting(saving, inside: context)
                }
            }
            if !changing.isEmpty {
                observer.observe(.NSManagedObjectContextObjectsDidChange, of: context.context) {
                    [unowned self, unowned context] in
                    if !watch.isLooking { runWaiting(changing, inside: context) }
                }
            }
        }
    }

    private func runWaiting(_ blocks: [String], inside context: LabContext) {
        // The reads of a block must not count as reads of the save that runs the block.
        let wasSaving = footprints?.saving(false) ?? false
        defer { _ = footprints?.saving(wasSaving) }
        for block in blocks {
            let times = context.waited[block, default: 0]
            context.waited[block] = times + 1
            if times < Self.observationMax {
                runBlock(block)
            } else if times == Self.observationMax {
                recorder.record(.looped(block: block, times: times))
            }
        }
    }
}
