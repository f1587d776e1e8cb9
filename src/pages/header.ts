import { type Language, languages } from '../domain/language.ts'
import { languageNames } from '../http/browser-info.ts'
import { asset } from './asset-address.ts'
import { icon } from './components/icon.ts'
import { type Html, html } from './html.ts'
import { headerSections, type Place, type Sites } from './places.ts'
import { frameWords as words } from './words/frame.ts'

/** A signed-in user, as shown in the header. */
export interface HeaderPerson {
  name: string
  signOutAction: string
  /** Token for every form on the page. */
  formToken: string
  /** The sites to which the header links. If absent, the header has no links to sections. */
  sites?: Sites
}

/**
 * Renders the header. For signed-in users, it is the same on all pages of both origins. For other users, it has only
 * the link to the start page.
 *
 * @param frame.isFirst whether this is the first page of its section.
 * @param frame.shownOnce see `PageFrame`.
 */
export function header(frame: {
  place: Place
  person: HeaderPerson | undefined
  isFirst: boolean
  shownOnce: boolean
}): Html {
  const { place, person, isFirst, shownOnce } = frame
  const sites = place.section === undefined ? undefined : person?.sites
  const home = sites === undefined ? place : { name: words.gatehouse, href: `${sites.base}/account` }
  return html`<header><a class="place" href="${home.href}"><img src="${asset('mark.svg')}" alt="" width="28" height="28">${home.name}</a>
${sites && sectionLinks(place, sites, isFirst)}
${sites && searchLink}
${person && personMenu(person, sites, shownOnce)}
</header>`
}

function sectionLinks({ section }: Place, sites: Sites, isFirst: boolean): Html {
  const current = html` aria-current="${isFirst ? 'page' : 'true'}"`
  return html`<nav class="places" aria-label="${words.main}">${headerSections.map(
    (each) => html`<a href="${sites[each.site]}${each.path}"${each === section && current}>${each.name}</a>`,
  )}</nav>`
}

/** Leads to the search page. With scripts, opens the search on the current page. */
const searchLink = html`<a class="find" href="/search" aria-keyshortcuts="Control+K Meta+K" data-script="${asset('search.js')}">${icon('search')}<span class="words">${words.search}</span><kbd aria-hidden="true">${words.searchKey}</kbd></a>`

/** @param sites `undefined` on pages that ask a single question and have no links to other pages. */
function personMenu(
  { name, signOutAction, formToken }: HeaderPerson,
  sites: Sites | undefined,
  shownOnce: boolean,
): Html {
  return html`<details class="person"><summary><span class="hidden-visually">${words.menu} </span><span class="name">${name}</span></summary>
<div class="menu">${sites && html`<nav class="more" aria-label="${words.more}"><a href="${sites.base}/account">${words.yourAccount}</a><a href="${sites.portal}/guides">${words.guides}</a></nav>`}
${!shownOnce && preferences}
<form method="post" action="${signOutAction}"><input type="hidden" name="form_token" value="${formToken}"><button type="submit" class="quiet small">${words.signOut}</button></form></div></details>`
}

/** The stylesheet marks the current language and theme, because views don't know which ones were chosen. */
const inUse = html`<span class="in-use hidden-visually"> ${words.current}</span>`

/** Renders the choice of language and theme: in the menu of a signed-in user, and otherwise in the footer. */
export const preferences: Html = html`<nav class="languages" aria-label="${words.language}">${languages.map(
  (language: Language) =>
    html`<a class="${language}" href="/appearance/language/${language}" hreflang="${language}" lang="${language}" rel="nofollow">${languageNames[language]}${inUse}</a>`,
)}</nav>
<nav class="themes" aria-label="${words.theme}">${(['light', 'dark', 'system'] as const).map(
  (theme) => html`<a class="${theme}" href="/appearance/${theme}" rel="nofollow">${words.themes[theme]}${inUse}</a>`,
)}</nav>`
