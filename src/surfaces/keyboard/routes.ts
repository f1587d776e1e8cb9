import type { Mount } from '../../http/new-app.ts'
import { keysAreOff } from '../../pages/appearance.ts'
import { button, linkButton } from '../../pages/components/elements.ts'
import { showPage } from '../../pages/form-routes.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { searchPlace } from '../../pages/places.ts'

/** `GET /keys`: the keys of all pages, and their switch. On both origins, for the script of each origin's pages. */
export function keyboardSurface({ guard }: { guard: PageGuard }): Mount {
  return (app) => {
    showPage(app, '/keys', guard.signedIn, async ({ request, show }) =>
      show({
        place: searchPlace,
        title: t`Keyboard shortcuts`,
        body: html`<h1>${t`Keyboard shortcuts`}</h1>${keyList(keysAreOff(request.cookies))}`,
      }),
    )
  }
}

const keys: readonly [keys: readonly Text[], does: Text][] = [
  [[t`Ctrl K`], t`Find a page or an action`],
  [['/'], t`Filter the list, or search if there is no filter`],
  [['j', 'k'], t`Next and previous row`],
  [[t.in('key')`Enter`], t`Open the row`],
  [['r'], t`Replay the webhook`],
  [['g b'], t`Go to your bots`],
  [['g a'], t`Go to your applications`],
  [['?'], t`Show these shortcuts`],
]

/** Renders the list of keys. The script copies it from the page and shows it above any other page. */
function keyList(off: boolean): Html {
  return html`<div id="keys" class="stack">
<dl class="keys">${keys.map(
    ([pressed, does]) => html`<div><dt>${pressed.map((each) => html`<kbd>${each}</kbd> `)}</dt><dd>${does}</dd></div>`,
  )}</dl>
<p class="soft small">${off ? t`Single keys are off in this browser.` : t`Single keys work with scripts, and never while you type.`}</p>
<div class="buttons"><form method="dialog" hidden>${button({ label: t`Close`, tone: 'plain' })}</form>${
    off
      ? linkButton({ label: t`Turn single keys on`, href: '/appearance/keys/on', tone: 'plain' })
      : linkButton({ label: t`Turn single keys off`, href: '/appearance/keys/off', tone: 'plain' })
  }</div></div>`
}
