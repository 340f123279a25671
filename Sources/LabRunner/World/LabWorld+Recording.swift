import ContextHistory
import CoreDataEngine
import CoreDataStore

// Records merges and the final contents of contexts in the history, in addition to the steps.
extension LabWorld {
    func recordMerge(_ posted: LabContext.Posted) {
        recorder.record(
            .merged(
                Merge(
                    source: plan.contexts[posted.saver].name, savedIn: posted.step,
                    inserted: posted.keys.inserted.map { name($0) },
                    updated: posted.keys.updated.map { name($0) },
                    deleted: posted.keys.deleted.map { name($0) })))
    }

    func recordHeld() {
        for context in contexts { recordHeld(by: context) }
    }

    private func recordHeld(by context: LabContext) {
        let heard = plan.contexts.indices.filter {
            hears(context.index, $0) || context.plan.mergesFrom.contains($0)
        }
        guard !heard.isEmpty, context.plan.parent == nil else { return }
        recorder.begin(step: "end", context: context.plan.name)
        recorder.record(.listens(to: heard.map { plan.contexts[$0].name }))
        context.queue.runAndWait { () throws(Never) in
            for object in context.changed(context.context.registeredObjects)
            where !object.isFault && !object.hasChanges {
                guard let cells = object.cells else { continue }
                recorder.record(.held(name(object.objectKey), row(cells, object.layout)))
            }
        }
    }
}
