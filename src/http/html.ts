/** Markup that is safe to send: made by the `html` tag only. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

type Content = Html | string | number | false | null | undefined | readonly Content[]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * A template whose values are escaped, for text and quoted attributes alike; nested templates and
 * lists of them are taken as they are. Nothing switches the escaping off (decision 0003).
 */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  let markup = parts[0] as string
  for (const [index, value] of values.entries()) markup += render(value) + parts[index + 1]
  return new Html(markup)
}

function render(value: Content): string {
  if (value instanceof Html) return value.markup
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map(render).join('')
  return String(value).replace(/[&<>"']/g, (character) => escapes[character] as string)
}
