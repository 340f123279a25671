import CWaitHooks

/// Descriptions of threads that do not hand the baton back, or never end.
extension CodeStage {
    /// Describes what a lane waits for when no lane can go on; nil if the lab does not know the
    /// wait.
    func lastWait(of lane: Int) -> String? {
        guard let runner = lanes[lane].runner,
            case .waiting(let resource) = baton.runners[runner].state
        else { return nil }
        let holder = baton.holder(inWayOf: baton.runners[runner])
        let end = holder.map { ", which \($0.name) holds" } ?? ", which no thread will signal"
        return "it waits for \(resource.name)\(end)\(Self.place(stack(of: runner)))"
    }

    /// The reason why a lane's thread has not handed the baton back.
    func stuck(_ lane: Int?) -> CodeError {
        if let told = outside.first { return .outside(told) }
        guard let lane, let runner = lanes[lane].runner else {
            return .stuck("a thread did not hand control back at the end of a schedule")
        }
        let stack = stack(of: runner)
        let function = stack.calls.first.flatMap(Self.function).map { "in \($0)" } ?? "somewhere"
        return .stuck(
            "'\(lanes[lane].name)' did not hand control back: it is \(function)\(Self.place(stack))"
                + " and runs without end, or waits for something that the lab does not know")
    }

    private func stack(of runner: Int) -> CallStack {
        CallStack(ofThread: baton.threadNumber(of: runner))
    }

    private static func place(_ stack: CallStack) -> String {
        let calls = CodePlaces([stack]).calls(stack)
        return calls.isEmpty ? "" : " (\(calls.prefix(4).joined(separator: " < ")))"
    }

    private static func function(_ address: UInt) -> String? {
        guard let name = faultline_function_at(address) else { return nil }
        return String(cString: name)
    }
}
