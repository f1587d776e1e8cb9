import { type Html, html, type Text, typed } from '../html.ts'
import { componentWords } from '../words/components.ts'
import { icon } from './icon.ts'

interface FieldWords {
  name: string
  label: Text
  hint?: Text | undefined
  /** The error and its fix. A field with several lines may have several. */
  error?: Text | readonly Text[] | undefined
  /** Default: the name. Give one when two forms of a page have a field of the same name. */
  id?: string
}

export interface TextField extends FieldWords {
  value?: string | undefined
  type?: 'text' | 'email' | 'password' | 'url'
  /** As HTML has it, such as `email`, `current-password`, `one-time-code`, `off`. */
  autocomplete?: string
  inputmode?: 'numeric' | 'email' | 'url'
  /** Read for identifiers and addresses in the monospace face. */
  code?: boolean
  /** For what is a few characters long. */
  short?: boolean
  autofocus?: boolean
}

/** A line of text. Never marked as required: the service says what is missing, in its own words. */
export function textField(field: TextField): Html {
  const { name, value, type = 'text', autocomplete, inputmode, code, short, autofocus } = field
  return frame(
    field,
    `${code ? ' code' : ''}${short ? ' short' : ''}`,
    html`<input type="${type}" name="${name}"${tied(field)}${typed((kept) => {
      const stands = type === 'password' ? value : (kept?.[name]?.[0] ?? value)
      return stands !== undefined && html` value="${stands}"`
    })}${
      autocomplete !== undefined && html` autocomplete="${autocomplete}"`
    }${inputmode !== undefined && html` inputmode="${inputmode}"`}${code && html` autocapitalize="none" spellcheck="false"`}${
      autofocus && html` autofocus`
    }>`,
  )
}

/** Several lines of text. */
export function textArea(field: FieldWords & { value?: string | undefined; rows: number; code?: boolean }): Html {
  return frame(
    field,
    field.code ? ' code' : '',
    // A line feed right after the tag is dropped by the parser, so one is put there to protect the value's own.
    html`<textarea name="${field.name}" rows="${field.rows}"${tied(field)}${
      field.code && html` autocapitalize="none" spellcheck="false"`
    }>
${typed((kept) => kept?.[field.name]?.[0] ?? field.value)}</textarea>`,
  )
}

/** One of a list that is too long for radio buttons, or not known beforehand. */
export function selectField(
  field: FieldWords & {
    /** The value, and its label if that differs. */
    options: readonly (string | { value: string; label: Text })[]
    value?: string | undefined
  },
): Html {
  const options = field.options.map((option) => {
    const { value, label } = typeof option === 'string' ? { value: option, label: option } : option
    const selected = typed((kept) => value === (kept?.[field.name]?.[0] ?? field.value) && html` selected`)
    return html`<option value="${value}"${selected}>${label}</option>`
  })
  return frame(field, '', html`<select name="${field.name}"${tied(field)}>${options}</select>`)
}

export interface Choice {
  value: string
  label: Text
  hint?: Text
}

/**
 * A question answered by one (radio buttons) or several (check boxes) of a few choices.
 *
 * @param inline in two columns where there is room.
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
    }${typed((kept) => (kept?.[name] ?? chosen).includes(choice.value) && html` checked`)}><label for="${choiceId}">${choice.label}</label>${
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

/** The id, and what describes the control: read out in the order hint, error. */
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
  return html`<div class="error" id="${field.id ?? field.name}-error">${icon('warning')}<span class="hidden-visually">${componentWords.error}</span>${words}</div>`
}

function hasError({ error }: FieldWords): boolean {
  return error !== undefined && !(Array.isArray(error) && error.length === 0) && error !== ''
}
