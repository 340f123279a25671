// LabScheduleTests
