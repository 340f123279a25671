// LabReportTests
