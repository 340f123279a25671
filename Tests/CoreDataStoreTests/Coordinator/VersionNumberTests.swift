import CoreDataStore
import Testing

struct VersionNumberTests {
    @Test func `build numbers increase with the systems, and none exceeds this module's`() {
        let macOS = [
            NSCoreDataVersionNumber10_4, NSCoreDataVersionNumber10_4_3,
            NSCoreDataVersionNumber10_5, NSCoreDataVersionNumber10_5_3,
            NSCoreDataVersionNumber10_6, NSCoreDataVersionNumber10_6_2,
            NSCoreDataVersionNumber10_6_3, NSCoreDataVersionNumber10_8,
            NSCoreDataVersionNumber10_8_2, NSCoreDataVersionNumber10_9,
            NSCoreDataVersionNumber10_10, NSCoreDataVersionNumber10_11,
            NSCoreDataVersionNumber10_11_3,
        ]
        let iOS = [
            NSCoreDataVersionNumber_iPhoneOS_3_0, NSCoreDataVersionNumber_iPhoneOS_3_1,
            NSCoreDataVersionNumber_iPhoneOS_3_2, NSCoreDataVersionNumber_iPhoneOS_5_0,
            NSCoreDataVersionNumber_iPhoneOS_6_0, NSCoreDataVersionNumber_iPhoneOS_7_0,
            NSCoreDataVersionNumber_iPhoneOS_8_0, NSCoreDataVersionNumber_iPhoneOS_9_0,
            NSCoreDataVersionNumber_iPhoneOS_9_2, NSCoreDataVersionNumber_iPhoneOS_9_3,
        ]
        for numbers in [macOS, iOS] {
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
            #expect(numbers.allSatisfy { NSCoreDataVersionNumber > $0 })
        }
    }
}
