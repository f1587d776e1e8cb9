/** A language of pages and emails, as a BCP 47 tag. */
export type Language = string

/** The language of the texts in the source, and the default. */
export const sourceLanguage = 'en'

/** The languages of pages and emails. The operator's catalogues add to them when the process starts. */
export const languages: Language[] = [sourceLanguage, 'de', 'fr', 'es']
