import type { FastifyRequest } from 'fastify'
import { notice } from './components/elements.ts'
import { icon } from './components/pictures.ts'
import { formText, formTexts } from './form-posts.ts'
import { type Html, html, plural, type Text, t } from './html.ts'

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

interface FieldOptions {
  label: Text
  hint?: Text | undefined
}

/** What only the shown page knows of a field: errors, hints that depend on the state, the focus, and so on. */
type Shown<Options> = Partial<Options> & {
  /** What is wrong and how to fix it. A multi-line field can have several errors. */
  errors?: readonly Text[]
}

/** A kind of field: how it is read from a post, and shown. Never uses `required`: the service reports missing input itself. */
interface Field<Value, Options> {
  isTyped?: boolean
  read(request: FastifyRequest, name: string): Value
  show(name: string, value: Value | undefined, shown?: Shown<Options>): Html
}

export interface TextOptions extends FieldOptions {
  type?: 'text' | 'email' | 'password' | 'url'
  /** Value of the HTML `autocomplete` attribute, such as `email`, `current-password`, `one-time-code`, `off`. */
  autocomplete?: string
  inputmode?: 'numeric' | 'email' | 'url'
  /** Uses a monospace font, for identifiers and URLs. */
  code?: boolean
  short?: boolean
  autofocus?: boolean
}

/** A single line. A password is never shown again. */
export function textField({ trim, ...options }: TextOptions & { trim?: true }): Field<string, TextOptions> {
  return {
    isTyped: true,
    read: (request, name) => (trim ? formText(request, name).trim() : formText(request, name)),
    show(name, value, shown) {
      const field = fieldOf(name, options, shown)
      const { type = 'text', autocomplete, inputmode, code, short, autofocus } = field
      return frame(
        field,
        `${code ? ' code' : ''}${short ? ' short' : ''}`,
        html`<input type="${type}" name="${name}"${tied(field)}${value !== undefined && options.type !== 'password' && html` value="${value}"`}${
          autocomplete !== undefined && html` autocomplete="${autocomplete}"`
        }${inputmode !== undefined && html` inputmode="${inputmode}"`}${code && html` autocapitalize="none" spellcheck="false"`}${
          autofocus && html` autofocus`
        }>`,
      )
    },
  }
}

interface AreaOptions extends FieldOptions {
  rows: number
  code?: boolean
}

export function textArea(options: AreaOptions): Field<string, AreaOptions> {
  return {
    isTyped: true,
    read: formText,
    show(name, value, shown) {
      const field = fieldOf(name, options, shown)
      return frame(
        field,
        field.code ? ' code' : '',
        // HTML parsers drop a line feed right after `<textarea>`. This one is dropped, so a value's own stays.
        html`<textarea name="${name}" rows="${field.rows}"${tied(field)}${
          field.code && html` autocapitalize="none" spellcheck="false"`
        }>
${value}</textarea>`,
      )
    },
  }
}

interface SelectOptions extends FieldOptions {
  /** Each option is a value, with a label if the label differs from the value. */
  options: readonly (string | { value: string; label: Text })[]
}

/** A drop-down list, for choices that are too numerous for radio buttons or that vary. */
export function selectField(options: SelectOptions): Field<string, SelectOptions> {
  return {
    read: formText,
    show(name, chosen, shown) {
      const field = fieldOf(name, options, shown)
      const all = field.options.map((option) => {
        const { value, label } = typeof option === 'string' ? { value: option, label: option } : option
        return html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`
      })
      return frame(field, '', html`<select name="${name}"${tied(field)}>${all}</select>`)
    },
  }
}

interface Choice<Value extends string> {
  value: Value
  label: Text
  hint?: Text
}

interface ChoiceOptions<Value extends string> extends FieldOptions {
  among: readonly Choice<Value>[]
  /** Uses two columns if there is enough space. */
  inline?: boolean
}

/** Radio buttons. `otherwise` stands for a value that isn't one of the choices. */
export function oneOf<const Value extends string, const Otherwise = Value>(
  options: ChoiceOptions<Value> & { otherwise: Otherwise },
): Field<Value | Otherwise, ChoiceOptions<Value>> {
  return {
    read(request, name) {
      const sent = formText(request, name)
      return options.among.find(({ value }) => value === sent)?.value ?? options.otherwise
    },
    show: (name, value, shown) =>
      choices('radio', fieldOf(name, options, shown), typeof value === 'string' ? [value] : []),
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
    show: (name, value = [], shown) => choices('checkbox', fieldOf(name, options, shown), value),
  }
}

type BoxOptions = Omit<ChoiceOptions<string>, 'among'> & { box: Omit<Choice<string>, 'value'> }

export function checkBox({ box, ...options }: BoxOptions): Field<boolean, BoxOptions> {
  const among = [{ ...box, value: 'yes' }]
  return {
    read: (request, name) => formText(request, name) === 'yes',
    show: (name, value, shown) =>
      choices('checkbox', { ...fieldOf(name, options, shown), among }, value ? ['yes'] : []),
  }
}

type ShownField<Options = FieldOptions> = Options & Pick<Shown<unknown>, 'errors'> & { name: string }

function fieldOf<Options>(name: string, options: Options, shown?: Shown<Options>): ShownField<Options> {
  return { ...options, ...shown, name }
}

function choices(
  type: 'radio' | 'checkbox',
  field: ShownField<ChoiceOptions<string>>,
  chosen: readonly string[],
): Html {
  const { name, label, hint, among, inline } = field
  return html`<fieldset class="field${inline && ' inline'}" id="${name}"${describedBy(field)}>
<legend>${label}</legend>
${hint !== undefined && html`<div class="hint" id="${name}-hint">${hint}</div>`}${errorOf(field)}
<div class="choices">${among.map((choice, index) => {
    const choiceId = `${name}-${index + 1}`
    return html`<div class="choice"><input type="${type}" name="${name}" id="${choiceId}" value="${choice.value}"${
      choice.hint !== undefined && html` aria-describedby="${choiceId}-hint"`
    }${chosen.includes(choice.value) && html` checked`}><label for="${choiceId}">${choice.label}</label>${
      choice.hint !== undefined && html`<div class="hint" id="${choiceId}-hint">${choice.hint}</div>`
    }</div>`
  })}</div>
</fieldset>`
}

function frame(field: ShownField, tone: string, control: Html): Html {
  const { name, label, hint } = field
  return html`<div class="field${tone}"><label for="${name}">${label}</label>
${hint !== undefined && html`<div class="hint" id="${name}-hint">${hint}</div>`}${errorOf(field)}
${control}</div>`
}

/** Renders a control's ID and ARIA attributes. Screen readers read the hint, then the error. */
function tied(field: ShownField): Html {
  return html` id="${field.name}"${describedBy(field)}${hasErrors(field) && html` aria-invalid="true"`}`
}

function describedBy(field: ShownField): Html | false {
  const { name, hint } = field
  const ids = [hint !== undefined && `${name}-hint`, hasErrors(field) && `${name}-error`].filter(Boolean)
  return ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
}

function hasErrors({ errors = [] }: ShownField): boolean {
  return errors.length > 0
}

function errorOf({ name, errors = [] }: ShownField): Html | false {
  return (
    errors.length > 0 &&
    html`<div class="error" id="${name}-error">${icon('warning')}<span class="hidden-visually">${t`Error: `}</span><ul>${errors.map((one) => html`<li>${one}</li>`)}</ul></div>`
  )
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
 * @param options.focusesError focuses the first field with an error, for pages without a summary of errors.
 */
export function form<const F extends Fields>(fields: F, { focusesError = false } = {}): Form<F> {
  const all = Object.entries(fields).map(([key, field]) => ({ key, name: wireName(key), field }))
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
          return [
            key,
            field.show(name, values?.[key], {
              errors: found,
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

export function errorNotices(errors: readonly FormError[]): Html[] {
  return errors.filter(({ field }) => field === undefined).map(({ message }) => notice({ tone: 'bad', body: message }))
}

/** Renders a rejected form's errors above the form, each with a link to its field. The summary receives the focus. */
export function fieldErrorSummary(errors: readonly FormError[]): Html | false {
  const faults = errors.filter(({ field }) => field !== undefined)
  const count = faults.length
  if (count === 0) return false
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus>${icon('warning')}<div class="words"><h2>${plural(count, t`Check 1 field`, t`Check ${count} fields`)}</h2>
<ul>${faults.map(({ field, message }) => html`<li><a href="#${field}">${message}</a></li>`)}</ul></div></div>`
}
