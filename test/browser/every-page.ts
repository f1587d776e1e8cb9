import { catalogue } from '../../src/surfaces/guides/catalogue.ts'
import { consentUrl } from '../support/people.ts'
import type { PopulatedWorld } from '../support/populated-world.ts'

export const partsOfService = ['strangers', 'account', 'bots', 'portal', 'guides'] as const
/** Ada is signed in for every part except `strangers`. */
type PartOfService = (typeof partsOfService)[number]

/** Returns the URLs of all pages, keyed by the name that test messages use. */
export function everyPage(furnished: PopulatedWorld): Record<PartOfService, Record<string, string>> {
  const { world, client, application, events, runtimeId, resetLink } = furnished
  const { baseUrl, portalUrl } = world
  const bot = `${baseUrl}/bots/lantern`
  const consent = consentUrl(world, client, { scope: 'user.identify bots.read calendar.read logs.read' })
  return {
    strangers: {
      'sign in': `${baseUrl}/sign-in`,
      'sign in on the way to an application': consent,
      'sign up': `${baseUrl}/sign-up`,
      'forgotten password': `${baseUrl}/forgot-password`,
      'new password': resetLink,
      'a spent link': `${baseUrl}/reset-password?token=svc_none`,
      'an invalid sign-in link': consentUrl(world, { ...client, redirectUri: 'https://elsewhere.example/' }),
      'page not found': `${baseUrl}/nowhere`,
      'status of a bot': `${baseUrl}/botstatus/lantern`,
      'status of a bot that is off': `${baseUrl}/botstatus/harbor`,
      'status not found': `${baseUrl}/botstatus/none`,
      'signed out of the portal': `${portalUrl}/sign-out`,
      'an unknown portal sign-in': `${portalUrl}/callback?state=none&code=none`,
      reference: `${portalUrl}/reference`,
    },
    account: {
      account: `${baseUrl}/account`,
      name: `${baseUrl}/account/name`,
      'email address': `${baseUrl}/account/email`,
      password: `${baseUrl}/account/password`,
      PIN: `${baseUrl}/account/pin`,
      passkeys: `${baseUrl}/account/passkeys`,
      'a passkey': `${baseUrl}/account/passkeys/1`,
      'linked accounts': `${baseUrl}/account/linked`,
      activity: `${baseUrl}/account/activity`,
      unlock: `${baseUrl}/unlock`,
      consent,
      'a link that its owner can fix': consentUrl(world, { ...client, redirectUri: `${client.redirectUri}/` }),
    },
    bots: {
      bots: `${baseUrl}/bots`,
      'a bot': bot,
      'a bot that is off': `${baseUrl}/bots/harbor`,
      'unknown bot': `${baseUrl}/bots/none`,
      flows: `${bot}/flows`,
      'no flows': `${baseUrl}/bots/harbor/flows`,
      'a flow with a key': `${bot}/flows/alerts`,
      'a flow without a key': `${bot}/flows/deploys`,
      'a flow without webhooks': `${bot}/flows/hello`,
      'replacing a flow key': `${bot}/flows/alerts/key`,
      'revoking a key': `${bot}/flows/alerts/keys/2/end`,
      deliveries: `${bot}/deliveries`,
      'no deliveries': `${baseUrl}/bots/harbor/deliveries`,
      'dead letters': `${bot}/deliveries?state=dead`,
      'a delivered webhook': `${bot}/deliveries/${events.done}`,
      'a dead letter': `${bot}/deliveries/${events.dead}`,
      'discarding a dead letter': `${bot}/deliveries/${events.dead}/discard`,
      'replaying all dead letters': `${bot}/dead-letters/replay`,
      'discarding all dead letters': `${bot}/dead-letters/discard`,
      logs: `${bot}/logs`,
      'no logs': `${baseUrl}/bots/harbor/logs`,
      runtimes: `${bot}/runtimes`,
      'replacing a runtime key': `${bot}/runtimes/${runtimeId}/key`,
      'removing a runtime': `${bot}/runtimes/${runtimeId}/removal`,
      coworkers: `${bot}/coworkers`,
      'a coworker': `${bot}/coworkers/grace`,
      'removing a coworker': `${bot}/coworkers/grace/removal`,
      'a new invitation': `${bot}/invitations/new`,
      'an invitation': furnished.invitation,
      'an invalid invitation': `${baseUrl}/invitation?token=svc_none`,
    },
    portal: {
      applications: portalUrl,
      'no matching application': `${portalUrl}/?search=none`,
      'a new application': `${portalUrl}/apps/new`,
      'an application in production': `${portalUrl}/apps/acme`,
      'an application with two secrets': application.address,
      'activity of an application': `${application.address}/activity`,
      'rotating the secret': `${application.address}/secret`,
      'a second secret': `${portalUrl}/apps/acme/secrets`,
      'revoking a secret': `${application.address}/secrets/2/revocation`,
      'deleting an application': `${application.address}/deletion`,
      'unknown application': `${portalUrl}/apps/none`,
    },
    guides: {
      guides: `${portalUrl}/guides`,
      'parts of guides found': `${portalUrl}/guides?q=refresh%20token`,
      'nothing found': `${portalUrl}/guides?q=none%20such%20part`,
      ...Object.fromEntries(catalogue.map(({ name }) => [`guide ${name}`, `${portalUrl}/guides/${name}`])),
    },
  }
}
