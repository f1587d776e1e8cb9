import type { FastifyRequest } from 'fastify'
import * as parts from './components/field.ts'
import { errorSummary, notice } from './components/notice.ts'
import { formText, formTexts } from './form-posts.ts'
import type { Html, Text } from './html.ts'

/** An error of a form. Shown next to its field or, without one, above the form. */
export interface FormError {
  /** The field's name on the wire, which is also its element ID. */
  field?: string | undefined
  message: Text
}

/** A form's values, and why they were rejected. */
export interface Filled<Values> {
  values: Values
  errors: readonly FormError[]
  /** Status of the page: 200, or that of the rejection. */
  status: number
}

/** What only the shown page knows of a field: hints that depend on the state, the focus, and so on. */
type Shown<Options> = Partial<Options> & Pick<parts.FieldWords, 'id'>

/** A kind of field: how it is read from a post, and shown. */
interface Field<Value, Options> {
  isTyped?: boolean
  read(request: FastifyRequest, name: string): Value
  show(name: string, value: Value | undefined, shown: Shown<Options>): Html
}

type Own = 'name' | 'id' | 'value' | 'chosen'
export type TextOptions = Omit<parts.TextField, Own>

/** A single line. A password is never shown again. */
export function textField({ trim, ...options }: TextOptions & { trim?: true }): Field<string, TextOptions> {
  return {
    isTyped: true,
    read: (request, name) => (trim ? formText(request, name).trim() : formText(request, name)),
    show(name, value, shown) {
      return parts.textField({ name, ...options, ...shown, ...(options.type !== 'password' && { value }) })
    },
  }
}

type AreaOptions = Omit<Parameters<typeof parts.textArea>[0], Own>

export function textArea(options: AreaOptions): Field<string, AreaOptions> {
  return {
    isTyped: true,
    read: formText,
    show: (name, value, shown) => parts.textArea({ name, ...options, ...shown, value }),
  }
}

type SelectOptions = Omit<Parameters<typeof parts.selectField>[0], Own>

export function selectField(options: SelectOptions): Field<string, SelectOptions> {
  return {
    read: formText,
    show: (name, value, shown) => parts.selectField({ name, ...options, ...shown, value }),
  }
}

type ChoiceOptions<Value extends string> = Omit<Parameters<typeof parts.choices>[0], Own | 'choose' | 'among'> & {
  among: readonly (parts.Choice & { value: Value })[]
}

/** Radio buttons. @param otherwise stands for a value that isn't one of the choices. */
export function oneOf<const Value extends string, const Otherwise = Value>(
  options: ChoiceOptions<Value> & { otherwise: Otherwise },
): Field<Value | Otherwise, ChoiceOptions<Value>> {
  return {
    read(request, name) {
      const sent = formText(request, name)
      return options.among.find(({ value }) => value === sent)?.value ?? options.otherwise
    },
    show: (name, value, shown) =>
      parts.choices({ name, ...options, ...shown, choose: 'one', chosen: typeof value === 'string' ? [value] : [] }),
  }
}

/** Check boxes. Ignores values that aren't among the choices. */
export function severalOf<const Value extends string>(
  options: ChoiceOptions<Value>,
): Field<readonly Value[], ChoiceOptions<Value>> {
  return {
    read(request, name) {
      const sent = formTexts(request, name)
      return options.among.map(({ value }) => value).filter((value) => sent.includes(value))
    },
    show: (name, value = [], shown) => parts.choices({ name, ...options, ...shown, choose: 'several', chosen: value }),
  }
}

type BoxOptions = Omit<ChoiceOptions<string>, 'among'> & { box: Omit<parts.Choice, 'value'> }

/** One check box. */
export function checkBox({ box, ...options }: BoxOptions): Field<boolean, BoxOptions> {
  const among = [{ ...box, value: 'yes' }]
  return {
    read: (request, name) => formText(request, name) === 'yes',
    show: (name, value, { box: _, ...shown }) =>
      parts.choices({ name, ...options, ...shown, choose: 'several', among, chosen: value ? ['yes'] : [] }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a form has fields of different kinds.
export type Fields = Readonly<Record<string, Field<any, any>>>
export type ValuesOf<F extends Fields> = {
  -readonly [Name in keyof F]: F[Name] extends Field<infer Value, infer _> ? Value : never
}
export type ShownFields<F extends Fields> = {
  [Name in keyof F]?: F[Name] extends Field<infer _, infer Options> ? Shown<Options> : never
}

export interface Form<F extends Fields> {
  readonly focusesError: boolean
  /** Whether the user types something. The service reports malformed input itself, in the page's language. */
  readonly isTyped: boolean
  read(request: FastifyRequest): ValuesOf<F>
  /** Renders each field with its value and errors. `shown` adds what only this page knows. */
  fields(filled: Partial<Filled<Partial<ValuesOf<F>>>>, shown?: ShownFields<F>): { [Name in keyof F]: Html }
}

/**
 * Declares a form. A field's name on the wire is its key in snake case.
 *
 * @param options.focusesError focuses the first field with an error, on a page without a summary of the errors.
 * @param options.showsFirst shows only the first error of each field.
 */
export function form<const F extends Fields>(fields: F, { focusesError = false, showsFirst = false } = {}): Form<F> {
  const all = Object.entries(fields).map(([key, field]) => ({
    key,
    name: wireName(key),
    field,
  }))
  return {
    focusesError,
    isTyped: all.some(({ field }) => field.isTyped),
    read: (request) =>
      Object.fromEntries(all.map(({ key, name, field }) => [key, field.read(request, name)])) as ValuesOf<F>,
    fields({ values, errors = [] }, shown = {}) {
      const first = focusesError && all.find(({ name }) => errors.some(({ field }) => field === name))
      return Object.fromEntries(
        all.map(({ key, name, field }) => {
          const found = errors.filter((one) => one.field === name).map(({ message }) => message)
          const error = showsFirst ? found[0] : found
          return [
            key,
            field.show(name, values?.[key], {
              error,
              ...(first && first.key === key && { autofocus: true }),
              ...shown[key],
            }),
          ]
        }),
      ) as { [Name in keyof F]: Html }
    },
  }
}

/** Returns a field's name on the wire, such as `user_agent` for `userAgent`. */
export function wireName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Renders the errors that belong to no field. */
export function errorNotices(errors: readonly FormError[]): Html[] {
  return errors.filter(({ field }) => field === undefined).map(({ message }) => notice({ tone: 'bad', body: message }))
}

/** Renders the errors of a form's fields above the form, with links to the fields. */
export function fieldErrorSummary(errors: readonly FormError[]): Html | false {
  return errorSummary(errors.flatMap(({ field, message }) => (field === undefined ? [] : [{ field, message }])))
}
