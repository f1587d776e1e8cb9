import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type PO from 'pofile'
import { type Language, languages } from '../domain/language.ts'

export interface Translation {
  parts: readonly string[]
  values: readonly number[]
}

interface Catalogue {
  messages: ReadonlyMap<string, readonly Translation[]>
  /** Entries that can't be used, each with the reason. Their texts are shown in English. */
  faults: readonly string[]
  pluralOf: (count: number) => number
}

export const catalogueFolder = join(import.meta.dirname, 'catalogues')
const catalogues = new Map<Language, Catalogue>()
/** The languages whose catalogues are part of the service. */
export const ownLanguages: readonly Language[] = [...languages]

/**
 * Adds the languages whose catalogues are in the operator's folder. One that is named like a language of ours replaces
 * that language's texts. Returns what is wrong, for the log: texts of unusable entries stay in English.
 */
export function addCatalogues(folder: string | undefined): string[] {
  languages.splice(0, languages.length, ...ownLanguages)
  catalogues.clear()
  if (folder === undefined) return []
  const faults: string[] = []
  try {
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.po'))) {
      const language = canonicalTag(file.slice(0, -3))
      if (language === undefined) {
        faults.push(`${file} is not named after a language, such as fr.po or pt-BR.po`)
        continue
      }
      const catalogue = readCatalogue(language, readFileSync(join(folder, file), 'utf8'))
      faults.push(...catalogue.faults.map((fault) => `${file}: ${fault}`))
      catalogues.set(language, catalogue)
      if (!languages.includes(language)) languages.push(language)
    }
  } catch (error) {
    faults.push(String(error))
  }
  return faults
}

function canonicalTag(text: string): Language | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

/** Returns a message's ID: its text with a numbered placeholder, such as `{0}`, for each value. */
export function idOf(parts: readonly string[]): string {
  return parts.reduce((id, part, at) => `${id}{${at - 1}}${part}`)
}

/** Returns the key of a message: its context, if any, and its ID, joined as in compiled gettext catalogues. */
export function keyOf(id: string, context: string | undefined): string {
  return context === undefined ? id : `${context}\u0004${id}`
}

/** Returns a message's translation, if any. Reads the catalogue on first use. `count` selects the plural form. */
export function translationOf(key: string, language: Language, count?: number): Translation | undefined {
  let catalogue = catalogues.get(language)
  if (catalogue === undefined) {
    // For example, an email in a language that the operator has removed since.
    if (!languages.includes(language)) return undefined
    catalogue = readCatalogue(language, readFileSync(join(catalogueFolder, `${language}.po`), 'utf8'))
    catalogues.set(language, catalogue)
  }
  return catalogue.messages.get(key)?.[count === undefined ? 0 : catalogue.pluralOf(count)]
}

/** Reads a catalogue. A translation needs its message's placeholders and markup, so that it can't change a page. */
export function readCatalogue(language: Language, text: string): Catalogue {
  // Loaded here, because a service whose users read English never needs it.
  const { parse } = createRequire(import.meta.url)('pofile') as typeof PO
  const pluralForms = pluralFormsOf(language)
  const messages = new Map<string, readonly Translation[]>()
  const faults: string[] = []
  // Comments are half of the file, and only translators need them.
  for (const { msgctxt, msgid, msgid_plural: plural, msgstr } of parse(text.replace(/^#[^,].*\n/gm, '')).items) {
    if (msgstr.every((form) => form === '')) continue
    const fault = faultOf(plural ?? msgid, msgstr, plural ? pluralForms.forms : 1)
    if (fault === undefined) messages.set(keyOf(msgid, msgctxt || undefined), msgstr.map(translation))
    else faults.push(`“${msgid}” ${fault}`)
  }
  return { messages, faults, pluralOf: pluralForms.of }
}

/** Gettext numbers the plural forms that whole numbers have in a language, in the order of Unicode's names for them. */
function pluralFormsOf(language: Language): { forms: number; of: (count: number) => number } {
  const rules = new Intl.PluralRules(language)
  const ofNumbers = new Set(Array.from({ length: 200 }, (_each, number) => rules.select(number)))
  const forms = (['zero', 'one', 'two', 'few', 'many', 'other'] as const).filter((form) => ofNumbers.has(form))
  // Other numbers, such as a million in French, have the last form.
  const of = (count: number) => {
    const at = forms.indexOf(rules.select(count))
    return at === -1 ? forms.length - 1 : at
  }
  return { forms: forms.length, of }
}

function translation(text: string): Translation {
  const pieces = text.split(/\{(\d+)\}/)
  return {
    parts: pieces.filter((_piece, at) => at % 2 === 0),
    values: pieces.filter((_piece, at) => at % 2 === 1).map(Number),
  }
}

function faultOf(id: string, translations: readonly string[], forms: number): string | undefined {
  if (translations.length !== forms) return `has ${translations.length} plural forms instead of ${forms}`
  for (const [at, text] of translations.entries()) {
    // Only the last form is for any number, so the others may say “one” or “two” in words.
    const isComplete = at < forms - 1 || placeholders(id).every((one) => text.includes(one))
    if (!isComplete || !placeholders(text).every((one) => id.includes(one))) return 'has other placeholders'
    if (tags(text) !== tags(id) || !isNested(text)) return 'has other markup'
  }
  return undefined
}

function placeholders(text: string): string[] {
  return text.match(/\{\d+\}/g) ?? []
}

/** Returns the tags, and every other character that could start or end one. */
function tags(text: string): string {
  return (text.match(/<[^<>]*>|[<>]/g) ?? []).sort().join()
}

/** Returns whether every element ends inside the element in which it starts. */
function isNested(text: string): boolean {
  const open: string[] = []
  for (const [, slash, name = ''] of text.matchAll(/<(\/?)(\w+)/g)) {
    if (slash === '/' && open.pop() !== name) return false
    if (slash === '' && name !== 'br') open.push(name)
  }
  return open.length === 0
}
