/// Data that were deflated with dynamic Huffman codes. The engine's own writer never uses such
/// codes.
enum ModelCacheSeed {
    static let text = """
        C8lIVSgszUzOVkgqyi/PU0jLr1DIKs0tKFbIL0stUigBSuckVlUqpOSn6ymE0Eyxg6OTs4urm7uHp5e3j6+ff0Bg\
        UHBIaFh4RGRUdExsXHxCYlJySmpaekZmVnZObl5+QWFRcUlpWXlFZVV1TW1dfUNjU3NLa1t7R2dXd09vX/+EiZMm\
        T5k6bfqMmbNmz5k7b/6ChYsWL1m6bPmKlatWr1m7bv2GjZs2b9m6bfuOnbt279m7b/+Bg4cOHzl67PiJk6dOnzl7\
        7vyFi5cuX7l67fqNm7du37l77/6Dh48eP3n67PmLl69ev3n77v2Hj58+f/n67fuPn79+//n7779fsGteSWZJpV9i\
        bqqBgl9wQFF+QWpRSWZqMYiHkLM0tESRNTeyRJG3MLZAkTcxtUCRNzc1R5E3tDBHkTczN0ORtzQ0Q5E3tTRFkTcz\
        MUWVNzRBkTc2N0GRNzE2RrXfwBhF3tjUCEXewtgIRd7I3BBF3tTMUAEA
        """
}
