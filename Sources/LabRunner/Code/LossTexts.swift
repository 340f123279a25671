import LabResults
import LabSchedule

extension Timeline.Loss {
    init(_ share: LossShare) {
        self.init(
            share: share.share, low: share.isExact ? nil : share.low,
            high: share.isExact ? nil : share.high)
    }
}
