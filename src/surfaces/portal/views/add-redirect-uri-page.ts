import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import type { AdditionRisk, RedirectUriAddition } from '../../../domain/applications/redirect-uri.ts'
import { redirectUriDifference } from '../../../domain/applications/redirect-uri-difference.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { notice } from '../../../pages/components/notice.ts'
import { redirectUriDifferenceView } from '../../../pages/components/redirect-uri-difference.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { applicationParts } from '../../../pages/places.ts'
import { differenceWords } from '../../../pages/words/components.ts'
import { faultWords } from '../application-fields.ts'
import { settingsWords } from '../words/application-form.ts'
import { additionWords as words } from '../words/failures.ts'
import { secretPagesWords } from '../words/secrets.ts'
import { applicationCrumb, portalFrame } from './application-frame.ts'

interface AdditionView {
  person: Person
  application: OwnedApplication
  redirectUri: string
  addition: RedirectUriAddition
}

/** Renders the question whether to add the redirect URI of a rejected request, or the reason why it can't be added. */
export function addRedirectUriPage(view: AdditionView): Html {
  const { person, application, redirectUri, addition } = view
  const { id, redirectUris } = application
  const difference = redirectUriDifference(redirectUris, redirectUri)
  const title = { possible: words.title, refused: words.notPossible, registered: words.registered }[addition.kind]
  return page({
    ...portalFrame(person),
    title,
    trail: [applicationCrumb(application), { name: applicationParts.logs.name, href: `/apps/${id}/logs` }],
    body: html`<h1>${title}</h1>
${card({
  body: html`${
    addition.kind === 'registered' || difference === undefined
      ? html`<p><code dir="ltr">${redirectUri}</code></p>`
      : redirectUriDifferenceView(difference)
  }
${addition.kind === 'possible' ? question(view, addition.risks) : refusal(view)}`,
})}`,
  })
}

function question({ person, application, redirectUri }: AdditionView, risks: readonly AdditionRisk[]): Html {
  const { id, verified, firstParty } = application
  return html`<p>${words.effect}</p>
${risks.includes('new-host') && notice({ tone: 'warn', body: words.newHost(new URL(redirectUri).host) })}
${risks.includes('marks-end') && verified && notice({ tone: 'warn', title: settingsWords.verifiedEnds, body: words.marksEnd })}
${risks.includes('marks-end') && firstParty && notice({ tone: 'warn', title: settingsWords.firstPartyEnds, body: words.marksEnd })}
<form method="post" action="/apps/${id}/redirect-uris"><input type="hidden" name="form_token" value="${person.formToken}"><input type="hidden" name="redirect_uri" value="${redirectUri}"><input type="hidden" name="confirmed" value="yes">
${buttonRow(
  button({ label: differenceWords.add, tone: 'primary' }),
  linkButton({ label: secretPagesWords.cancel, href: `/apps/${id}/logs`, tone: 'quiet' }),
)}
</form>`
}

function refusal({ application, redirectUri, addition }: AdditionView): Html {
  const { id, environment } = application
  return html`${
    addition.kind === 'refused' &&
    notice({ tone: 'bad', body: faultWords({ reason: addition.reason, redirectUri }, environment) })
  }
<div class="buttons">${linkButton({ label: words.toSettings, href: `/apps/${id}#settings`, tone: 'plain' })}</div>`
}
