import { type Html, html, type Text } from '../html.ts'

/** A figure or a state that summarizes one part of an object. */
export interface Tile {
  title: Text
  /** URL of the page with the details. */
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
