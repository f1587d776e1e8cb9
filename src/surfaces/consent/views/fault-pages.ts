import type { Application } from '../../../domain/applications/applications.ts'
import { redirectUriDifference } from '../../../domain/applications/redirect-uri-difference.ts'
import type { RequestPageFault } from '../../../domain/authorization/authorization-request.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { redirectUriDifferenceView } from '../../../pages/components/redirect-uri-difference.ts'
import { errorPage } from '../../../pages/error-page.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { identityPlace } from '../../../pages/places.ts'
import { consentFaultWords } from '../words.ts'

const frame = { place: identityPlace }

/**
 * Renders a fault that must not be reported by redirect, for the user and for the application's developer.
 *
 * @param settingsAddress the application's URL in the portal. Set only for its owner, who also sees the registered
 * URIs.
 */
export function requestFaultPage(fault: RequestPageFault, errorId: string, settingsAddress: string | undefined): Html {
  const { what, whatToDo, forOwner } = consentFaultWords
  const application = 'application' in fault ? fault.application : undefined
  const shown = application !== undefined && settingsAddress !== undefined
  return errorPage(
    {
      what,
      why: explanationOf(fault),
      whatToDo:
        shown && fault.kind === 'redirect-uri-unregistered' ? html`<p>${whatToDo}</p>${comparison(fault)}` : whatToDo,
      ...(shown
        ? { ways: [linkButton({ label: forOwner.toSettings(application.name), href: settingsAddress, tone: 'plain' })] }
        : {}),
      errorId,
    },
    frame,
  )
}

function explanationOf(fault: RequestPageFault): Text {
  switch (fault.kind) {
    case 'client-id-missing':
      return consentFaultWords.clientIdMissing
    case 'client-id-repeated':
      return consentFaultWords.clientIdRepeated
    case 'client-unknown':
      return consentFaultWords.clientUnknown
    case 'redirect-uri-missing':
      return consentFaultWords.redirectUriMissing(fault.application.name)
    case 'redirect-uri-repeated':
      return consentFaultWords.redirectUriRepeated(fault.application.name)
    case 'redirect-uri-unregistered':
      return consentFaultWords.redirectUriUnregistered(fault.application.name)
  }
}

/** Renders the rejected redirect URI next to the most similar registered one, then all registered ones. */
function comparison({ application, redirectUri }: Extract<RequestPageFault, { redirectUri: string }>): Html {
  const { forOwner } = consentFaultWords
  const difference = redirectUriDifference(application.redirectUris, redirectUri)
  return card({
    id: 'for-owner',
    title: forOwner.title,
    body: html`${difference && redirectUriDifferenceView(difference)}
<div class="stack tight"><h3>${forOwner.allRegistered}</h3>
<ul>${application.redirectUris.map((uri) => html`<li><code dir="ltr">${uri}</code></li>`)}</ul></div>`,
  })
}

/** @param restartAddress URL that repeats the authorization request. */
export function attemptExpiredPage(application: Application, restartAddress: string): Html {
  const { what, why, whatToDo, startAgain } = consentFaultWords.expired
  const ways = [linkButton({ label: startAgain, href: restartAddress, tone: 'primary' })]
  return errorPage({ what, why: why(application.name), whatToDo, ways }, frame)
}

export function attemptUnknownPage(): Html {
  return errorPage(consentFaultWords.unknown, frame)
}
