/** Languages of pages and emails. The first language is the default. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]
