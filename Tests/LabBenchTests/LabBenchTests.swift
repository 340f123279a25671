// LabBenchTests
