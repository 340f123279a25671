import ContextHistory
import LabScenario

extension LabWorld {
    func runStep(_ step: Step, in context: LabContext, named name: String) {
        recorder.begin(step: name, context: context.plan.name)
        touch(context: context.index)
        touch(step, in: context.index)
        measure(step.name.value) { run(step, in: context, endingAs: step.name.value) }
    }

    /// Runs a block on its context's queue and waits until the block has ended.
    func runBlock(_ name: String) {
        guard let block = plan.scenario.blocks.first(where: { $0.name.value == name }) else {
            return
        }
        let (step, context) = (recorder.step, recorder.context)
        recorder.record(.blockBegan(block: name))
        let target = contexts[plan.position(of: block.context.value)]
        touch(context: target.index)
        touch(block.step, in: target.index)
        recorder.begin(step: step, context: target.plan.name)
        run(block.step, in: target, endingAs: name)
        recorder.begin(step: step, context: context)
    }

    private func run(_ step: Step, in context: LabContext, endingAs name: String) {
        var runner = StepRunner(world: self, context: context)
        notes.note(runner.run(step), of: name)
    }
}
