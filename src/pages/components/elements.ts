import { type Content, formTokenField, Html, html, type Text, t, translatable, type Words } from '../html.ts'
import { type IconName, icon } from './pictures.ts'

/** `primary`: a page's main action. `plain`: one of several. `quiet`: leaves the page. `dangerous`: can't be undone. */
type ButtonTone = 'primary' | 'plain' | 'quiet' | 'dangerous'

interface Button {
  label: Text
  tone: ButtonTone
  name?: string
  value?: string
  small?: boolean
  action?: string
}

export function button({ label, tone, name, value, small, action }: Button): Html {
  const says = name !== undefined && html` name="${name}" value="${value ?? ''}"`
  const leads = action !== undefined && html` formaction="${action}"`
  return html`<button type="submit" class="${tone}${small && ' small'}"${says}${leads}>${label}</button>`
}

/** Renders a link that looks like a button. It only navigates and changes nothing. */
export function linkButton(link: { label: Text; tone: ButtonTone; href: Text; small?: boolean }): Html {
  const { label, tone, href, small } = link
  return html`<a class="button ${tone}${small && ' small'}" href="${href}">${label}</a>`
}

/** Renders buttons side by side with the primary one first. On a phone, they are stacked. */
export function buttonRow(...buttons: (Html | false)[]): Html {
  return html`<div class="buttons">${buttons}</div>`
}

export function submitOrCancel(label: Text, back: string): Html {
  return buttonRow(button({ label, tone: 'primary' }), linkButton({ label: t`Cancel`, href: back, tone: 'quiet' }))
}

/** Renders a form that changes something, with the token that every such form needs. */
export function postForm(
  form: { action: string; style?: string; novalidate?: boolean; attributes?: Html },
  ...content: Content[]
): Html {
  const { action, style, novalidate, attributes } = form
  return html`<form${style !== undefined && html` class="${style}"`} method="post" action="${action}"${novalidate && html` novalidate`}${attributes}>${formTokenField}
${content}</form>`
}

export type Tone = 'neutral' | 'good' | 'warn' | 'bad'

const icons: Record<Tone, IconName> = { neutral: 'info', good: 'check', warn: 'warning', bad: 'cross' }

/** Renders a notice. Screen readers announce `good` and `bad` notices immediately. */
export function notice({ tone, title, body }: { tone: Tone; title?: Text; body: Text }): Html {
  const role = tone === 'bad' ? 'alert' : tone === 'good' ? 'status' : 'note'
  const words = body instanceof Html ? body : html`<p>${body}</p>`
  return html`<div class="notice ${tone}" role="${role}">${icon(icons[tone])}<div class="words">${title !== undefined && html`<p><strong>${title}</strong></p>`}${words}</div></div>`
}

/** Renders a state as a word with an icon, so that it never relies on colour alone. */
export function state({ tone, word }: { tone: Tone; word: Text }): Html {
  return html`<span class="state ${tone}">${icon(tone === 'neutral' ? 'dash' : icons[tone])}${word}</span>`
}

export const code = (text: string): Html => html`<code>${text}</code>`

export function tag(word: Text): Html {
  return html`<span class="tag">${word}</span>`
}

/** Renders a framed part of a page, without a title if it is the only one. `compact`: one of several forms. */
export function card(shown: { title?: Text; body: Html; id?: string; beside?: Html; compact?: boolean }): Html {
  const { title, body, id, beside, compact = false } = shown
  const attributes = html`class="card${compact && ' compact'}"${id !== undefined && html` id="${id}"`}`
  if (title === undefined) return html`<div ${attributes}>${body}</div>`
  const heading = `${id ?? inEnglish(title).replace(/[^a-z0-9]+/g, '-')}-title`
  return html`<section ${attributes} aria-labelledby="${heading}">${beside === undefined ? html`<h2 id="${heading}">${title}</h2>` : html`<div class="title"><h2 id="${heading}">${title}</h2>${beside}</div>`}${body}</section>`
}

interface Section {
  id: string
  title: Text
  about: Html
  body: Html
  /** Shows the description beside the content instead of above it, for settings. On a phone, it is always above. */
  aside?: boolean
}

export function section({ id, title, about, body, aside = false }: Section): Html {
  return html`<section class="section${aside && ' aside'}" id="${id}" aria-labelledby="${id}-title">
<div class="about"><h2 id="${id}-title">${title}</h2>${about}</div>
<div class="stack">${body}</div>
</section>`
}

/** Returns the English text in lower case, from which element IDs are derived. This keeps the IDs the same in every language. */
function inEnglish(title: Text): string {
  return (typeof title === 'string' ? title : html`${title}`.in('en')).toLowerCase()
}

/** Renders a placeholder for an empty list. It says what the list will contain and how to add the first item. */
export function emptyState({ title, body, action }: { title: Text; body: Html; action?: Html }): Html {
  return html`<div class="empty"><h2>${title}</h2>${body}${action}</div>`
}

export interface Tile {
  title: Text
  href?: string | undefined
  figure: Html
  detail?: Text | false | undefined
}

/** Renders tiles side by side, for the top of an overview. On a phone, they are arranged in two columns. */
export function tiles(all: readonly Tile[]): Html {
  return html`<dl class="tiles">${all.map(
    ({ title, href, figure, detail }) =>
      html`<div><dt>${href === undefined ? title : html`<a href="${href}">${title}</a>`}</dt><dd class="figure">${figure}</dd>${detail && html`<dd class="soft small">${detail}</dd>`}</div>`,
  )}</dl>`
}

interface Column<Row> {
  title: Text
  /** Renders the column's cell in a row. Cells of the first column are row headers. */
  cell(row: Row): Text | number
  number?: boolean
  /** Omits the column's title on a phone, where each row is a card, because the cells explain themselves. */
  unlabelled?: true
  /** Set if the cells are in English in every language of the page. Ignored in the first column. */
  lang?: 'en'
}

/**
 * Renders a table that becomes one card per row on a phone. ARIA roles are explicit, because browsers drop them when
 * CSS changes a table's layout.
 * @param oneLine one line per object, two on a phone. The first column has an {@link objectLink}.
 */
export function table<Row>(shown: {
  caption: Text
  /** `false` stands for a column that isn't shown. */
  columns: readonly (Column<Row> | false)[]
  rows: readonly Row[]
  oneLine?: boolean
}): Html {
  const { caption, rows, oneLine = false } = shown
  const columns = shown.columns.filter((column) => column !== false)
  const tone = (column: Column<Row>) => column.number === true && html` class="number"`
  return html`<div class="table${oneLine && ' one-line'}"><table role="table"><caption class="hidden-visually">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((column) => html`<th scope="col" role="columnheader"${tone(column)}>${column.title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`<tr role="row">${columns.map((column, index) =>
      index === 0
        ? html`<th scope="row" role="rowheader"${tone(column)}>${column.cell(row)}</th>`
        : html`<td role="cell"${!column.unlabelled && html` data-label="${column.title}"`}${tone(column)}><span${column.lang !== undefined && html` lang="${column.lang}"`}>${column.cell(row)}</span></td>`,
    )}</tr>
`,
  )}</tbody></table></div>`
}

/** Renders an object's name as the link of its whole row. A long name is cut, and its title attribute has all of it. */
export function objectLink(object: { name: string; href: string; picture?: Html; after?: Content }): Html {
  const { name, href, picture, after } = object
  return html`<div class="named">${picture}<a class="row-link" href="${href}" title="${name}">${name}</a> ${after}</div>`
}

/** Renders a figure, such as 0, that isn't worth its place on a phone. */
export function zeroAs(shown: Text | number): Html {
  return html`<span class="zero">${shown}</span>`
}
export const zero = zeroAs(0)

/**
 * Renders the head of the pages about one object: its name on one line, and the tabs, which are links to these pages.
 * The head has the same height on all of them, so that nothing moves between them. Below a tab, the name isn't the
 * page's heading.
 */
export function objectHead(object: {
  name: Text
  picture?: Html
  tags?: Content
  label: Text
  /** `current` marks the tab that contains the shown page. */
  pages: readonly { name: Text; href: string; current: boolean }[]
  /** Whether the page is below the tab's own. Screen readers then don't announce the tab as the current page. */
  inside?: boolean
}): Html {
  const { name, picture, tags, label, pages, inside = false } = object
  return html`<div class="name object${inside && ' inside'}" title="${name}">${picture}${inside ? html`<p class="of"><a href="${pages[0]?.href ?? ''}">${name}</a></p>` : html`<h1>${name}</h1>`}${tags}</div>
<nav class="tabs" aria-label="${label}">${pages.map(
    ({ name, href, current }) =>
      html`<a href="${href}"${current && html` aria-current="${inside ? 'true' : 'page'}"`}>${name}</a>`,
  )}</nav>`
}

/** One step of a page's breadcrumbs. A step without a link is the page itself. */
export interface Crumb {
  name: Text
  href?: string
}

/** A step that is always a link, such as a page that contains others. */
export type LinkedCrumb = Required<Crumb>

/** Returns the breadcrumbs for the page of the last step, which then isn't a link. */
export function endingHere(crumbs: readonly LinkedCrumb[]): Crumb[] {
  return crumbs.map(({ name, href }, at) => (at === crumbs.length - 1 ? { name } : { name, href }))
}

/** Renders breadcrumbs: the pages that contain this one, the outermost first, and links to the pages beside it. */
export function trail(crumbs: readonly Crumb[], beside?: Content): Html {
  return html`<nav class="trail" aria-label="${t`Breadcrumbs`}"><ol>${crumbs.map(
    ({ name, href }) =>
      html`<li>${href === undefined ? html`<span aria-current="page">${name}</span>` : html`<a href="${href}">${name}</a>`}</li>`,
  )}</ol>${beside}</nav>`
}

const pages = [
  { name: t`API reference`, href: '/reference' },
  { name: t`Guides`, href: '/guides' },
  { name: t`Packages`, href: '/packages' },
] as const

/** Renders the heading of a part of the public documentation, and the tabs: API reference, guides and packages. */
export function documentationHead(name: Text, current: (typeof pages)[number]['href']): Html {
  const links = pages.map((one) => ({ ...one, current: one.href === current }))
  return objectHead({ name, label: t`Documentation`, pages: links })
}

/** Says what a scope allows. Scopes that the operator declared have no translation. */
export function scopeWords(name: string, descriptions: Readonly<Record<string, string>>): Words {
  return translatable(descriptions[name] ?? name, 'scope')
}
