/** The languages that pages and mails speak, the one for everybody else first. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]
