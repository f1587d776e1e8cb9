import { type Html, html, type Text, t } from '../html.ts'
import { icon } from './pictures.ts'

export interface FieldWords {
  name: string
  label: Text
  hint?: Text | undefined
  /** The error and how to fix it. A multi-line field can have several errors. */
  error?: Text | readonly Text[] | undefined
  /** Element ID. Default: the name. Required if two forms on a page have a field with the same name. */
  id?: string
}

export interface TextField extends FieldWords {
  value?: string | undefined
  type?: 'text' | 'email' | 'password' | 'url'
  /** Value of the HTML `autocomplete` attribute, such as `email`, `current-password`, `one-time-code`, `off`. */
  autocomplete?: string
  inputmode?: 'numeric' | 'email' | 'url'
  /** Uses a monospace font, for identifiers and URLs. */
  code?: boolean
  /** Renders a narrow field, for short input. */
  short?: boolean
  autofocus?: boolean
}

/**
 * Renders a single-line text field. Never uses `required`: the service reports missing input itself, in the page's
 * language.
 */
export function textField(field: TextField): Html {
  const { name, value, type = 'text', autocomplete, inputmode, code, short, autofocus } = field
  return frame(
    field,
    `${code ? ' code' : ''}${short ? ' short' : ''}`,
    html`<input type="${type}" name="${name}"${tied(field)}${value !== undefined && html` value="${value}"`}${
      autocomplete !== undefined && html` autocomplete="${autocomplete}"`
    }${inputmode !== undefined && html` inputmode="${inputmode}"`}${code && html` autocapitalize="none" spellcheck="false"`}${
      autofocus && html` autofocus`
    }>`,
  )
}

/** Renders a multi-line text field. */
export function textArea(field: FieldWords & { value?: string | undefined; rows: number; code?: boolean }): Html {
  return frame(
    field,
    field.code ? ' code' : '',
    // HTML parsers drop a line feed right after `<textarea>`. This extra line feed protects one at the start of the
    // value.
    html`<textarea name="${field.name}" rows="${field.rows}"${tied(field)}${
      field.code && html` autocapitalize="none" spellcheck="false"`
    }>
${field.value}</textarea>`,
  )
}

/** Renders a drop-down list, for choices that are too numerous for radio buttons or that vary. */
export function selectField(
  field: FieldWords & {
    /** Each option is a value, with a label if the label differs from the value. */
    options: readonly (string | { value: string; label: Text })[]
    value?: string | undefined
  },
): Html {
  const options = field.options.map((option) => {
    const { value, label } = typeof option === 'string' ? { value: option, label: option } : option
    return html`<option value="${value}"${value === field.value && html` selected`}>${label}</option>`
  })
  return frame(field, '', html`<select name="${field.name}"${tied(field)}>${options}</select>`)
}

export interface Choice {
  value: string
  label: Text
  hint?: Text
}

/**
 * Renders a few choices as radio buttons (`one`) or check boxes (`several`).
 *
 * @param inline uses two columns if there is enough space.
 */
export function choices(
  question: FieldWords & {
    choose: 'one' | 'several'
    among: readonly Choice[]
    chosen: readonly string[]
    inline?: boolean
  },
): Html {
  const { name, label, hint, choose, among, chosen, inline } = question
  const id = question.id ?? name
  return html`<fieldset class="field${inline && ' inline'}" id="${id}"${describedBy(question)}>
<legend>${label}</legend>
${hint !== undefined && html`<div class="hint" id="${id}-hint">${hint}</div>`}${errorOf(question)}
<div class="choices">${among.map((choice, index) => {
    const choiceId = `${id}-${index + 1}`
    return html`<div class="choice"><input type="${choose === 'one' ? 'radio' : 'checkbox'}" name="${name}" id="${choiceId}" value="${choice.value}"${
      choice.hint !== undefined && html` aria-describedby="${choiceId}-hint"`
    }${chosen.includes(choice.value) && html` checked`}><label for="${choiceId}">${choice.label}</label>${
      choice.hint !== undefined && html`<div class="hint" id="${choiceId}-hint">${choice.hint}</div>`
    }</div>`
  })}</div>
</fieldset>`
}

function frame(field: FieldWords, tone: string, control: Html): Html {
  const id = field.id ?? field.name
  return html`<div class="field${tone}"><label for="${id}">${field.label}</label>
${field.hint !== undefined && html`<div class="hint" id="${id}-hint">${field.hint}</div>`}${errorOf(field)}
${control}</div>`
}

/** Renders a control's ID and ARIA attributes. Screen readers read the hint, then the error. */
function tied(field: FieldWords): Html {
  const invalid = hasError(field) && html` aria-invalid="true"`
  return html` id="${field.id ?? field.name}"${describedBy(field)}${invalid}`
}

function describedBy(field: FieldWords): Html | false {
  const id = field.id ?? field.name
  const ids = [...(field.hint === undefined ? [] : [`${id}-hint`]), ...(hasError(field) ? [`${id}-error`] : [])]
  return ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
}

function errorOf(field: FieldWords): Html | false {
  const { error } = field
  if (!hasError(field) || error === undefined) return false
  const words = !Array.isArray(error)
    ? html`<span>${error}</span>`
    : html`<ul>${error.map((one) => html`<li>${one}</li>`)}</ul>`
  return html`<div class="error" id="${field.id ?? field.name}-error">${icon('warning')}<span class="hidden-visually">${t`Error: `}</span>${words}</div>`
}

function hasError({ error }: FieldWords): boolean {
  return error !== undefined && !(Array.isArray(error) && error.length === 0) && error !== ''
}
