import type { MarkedToken, Token, Tokens } from 'marked'
import { type Html, html } from '../../pages/html.ts'

interface Rendering {
  /** The `id` attribute of each heading except the title. */
  ids: ReadonlyMap<Token, string>
  hrefOf(target: string): string
}

/**
 * Renders blocks of Markdown with the `html` tag, which escapes all text. Raw HTML and unsupported Markdown are shown
 * as source text. For a link with a scheme other than https: or http:, only the link's text is rendered.
 */
export function renderBlocks(tokens: readonly Token[], rendering: Rendering): Html[] {
  let caption = ''
  return tokens.map((token) => {
    if (token.type === 'heading') caption = token.text
    return block(token as MarkedToken, rendering, caption)
  })
}

function block(token: MarkedToken, rendering: Rendering, caption: string): Html {
  switch (token.type) {
    case 'space':
      return html``
    case 'heading':
      return heading(token, rendering)
    case 'paragraph':
      return html`<p>${renderInline(token.tokens, rendering)}</p>\n`
    case 'text':
      return html`${token.tokens === undefined ? token.text : renderInline(token.tokens, rendering)}`
    case 'code':
      return html`<pre tabindex="0"><code>${token.text}</code></pre>\n`
    case 'list':
      return list(token, rendering)
    case 'table':
      return table(token, rendering, caption)
    default:
      return html`<p>${token.raw}</p>\n`
  }
}

function heading(token: Tokens.Heading, rendering: Rendering): Html {
  const content = renderInline(token.tokens, rendering)
  const id = rendering.ids.get(token)
  // Only the title has no ID. The page renders it above the guide.
  if (id === undefined) return html``
  return token.depth === 2 ? html`<h2 id="${id}">${content}</h2>\n` : html`<h3 id="${id}">${content}</h3>\n`
}

function list({ ordered, start, items }: Tokens.List, rendering: Rendering): Html {
  const content = items.map(({ tokens }) => html`<li>${renderBlocks(tokens, rendering)}</li>\n`)
  if (!ordered) return html`<ul>${content}</ul>\n`
  return html`<ol${Number(start) !== 1 && html` start="${Number(start)}"`}>${content}</ol>\n`
}

/** Uses the table component's markup. Empty cells are not marked as headings, and an empty header row is omitted. */
function table({ header, rows }: Tokens.Table, rendering: Rendering, caption: string): Html {
  const head = header.map(({ text, tokens }) =>
    text === ''
      ? html`<td role="cell"></td>`
      : html`<th scope="col" role="columnheader">${renderInline(tokens, rendering)}</th>`,
  )
  const cell = ({ text, tokens }: Tokens.TableCell, index: number) => {
    const content = renderInline(tokens, rendering)
    if (text === '') return html`<td role="cell"></td>`
    if (index === 0) return html`<th scope="row" role="rowheader">${content}</th>`
    const label = header[index]?.text.replaceAll('`', '') ?? ''
    return html`<td role="cell"${label !== '' && html` data-label="${label}"`}><span>${content}</span></td>`
  }
  return html`<div class="table"><table role="table"><caption class="hidden-visually">${caption}</caption>
${header.some(({ text }) => text !== '') && html`<thead role="rowgroup"><tr role="row">${head}</tr></thead>\n`}<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${row.map(cell)}</tr>\n`)}</tbody></table></div>\n`
}

function renderInline(tokens: readonly Token[], rendering: Rendering): Html {
  return html`${tokens.map((token) => inline(token as MarkedToken, rendering))}`
}

function inline(token: MarkedToken, rendering: Rendering): Html {
  switch (token.type) {
    case 'text':
    case 'escape':
      return html`${token.text}`
    case 'codespan':
      return html`<code>${token.text}</code>`
    case 'strong':
      return html`<strong>${renderInline(token.tokens, rendering)}</strong>`
    case 'em':
      return html`<em>${renderInline(token.tokens, rendering)}</em>`
    case 'link': {
      const content = renderInline(token.tokens, rendering)
      const href = rendering.hrefOf(token.href)
      return /^(https?:\/\/|#|\/(?![/\\]))/.test(href) ? html`<a href="${href}">${content}</a>` : content
    }
    default:
      return html`${token.raw}`
  }
}
