// LabCheckTests
