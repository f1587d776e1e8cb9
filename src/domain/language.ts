/** Languages of pages and mails. The first is the default. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]
