/** How many times longer than usual generated tests run: `GATEHOUSE_TEST_BUDGET=50 node --test …`. */
export const budget = Number(process.env.GATEHOUSE_TEST_BUDGET ?? 1)
