// LabBench
