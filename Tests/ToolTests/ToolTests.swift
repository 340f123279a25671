// ToolTests
