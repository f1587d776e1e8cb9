/** Factor by which generated tests run longer than by default: `GATEHOUSE_TEST_BUDGET=50 node --test …`. */
export const budget = Number(process.env.GATEHOUSE_TEST_BUDGET ?? 1)
