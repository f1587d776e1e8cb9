import type { Application } from '../../../domain/applications/applications.ts'
import type { RequestPageFault } from '../../../domain/authorization/authorization-request.ts'
import { linkButton } from '../../../http/components/button.ts'
import { errorPage } from '../../../http/error-page.ts'
import type { Html } from '../../../http/html.ts'
import { identityPlace } from '../../../http/places.ts'

const frame = { place: identityPlace }

/** A fault that must not redirect, told to the person in front and to the developer behind the link. */
export function requestFaultPage(fault: RequestPageFault, errorId: string): Html {
  const name = 'application' in fault ? fault.application?.name : undefined
  const why = inWords[fault.kind](name ?? 'the application')
  return errorPage(
    {
      what: 'This sign-in link does not work',
      why,
      whatToDo: 'Nothing was shared. Go back to where you came from. If you build this application, mend its link.',
      errorId,
    },
    frame,
  )
}

const inWords: Record<RequestPageFault['kind'], (application: string) => string> = {
  'client-id-missing': () => 'It does not say which application sent you: the parameter client_id is missing.',
  'client-id-repeated': () => 'It names an application twice: the parameter client_id is repeated.',
  'client-unknown': () => 'The application that sent you is not registered here, or is no longer.',
  'redirect-uri-missing': (name) =>
    `It does not say where ${name} wants you back: the parameter redirect_uri is missing.`,
  'redirect-uri-repeated': (name) =>
    `It says twice where ${name} wants you back: the parameter redirect_uri is repeated.`,
  'redirect-uri-unregistered': (name) =>
    `The address to which it would send you back is not registered for ${name}. Its owner can add it, exactly as it is sent, under Redirect URIs.`,
}

/** @param restartAddress The same request from its start. */
export function attemptExpiredPage(application: Application, restartAddress: string): Html {
  return errorPage(
    {
      what: 'This sign-in has expired',
      why: `You began to sign in to ${application.name} more than half an hour ago. Nothing was shared.`,
      whatToDo: 'Start again; it takes you through the same steps.',
      ways: [linkButton({ label: 'Start again', href: restartAddress, tone: 'primary' })],
    },
    frame,
  )
}

export function attemptUnknownPage(): Html {
  return errorPage(
    {
      what: 'This sign-in is not known',
      why: 'It may be too old, or its address was cut off. Nothing was shared.',
      whatToDo: 'Go back to the application that you want to sign in to, and start there again.',
    },
    frame,
  )
}
