import { catalogue } from '../../src/surfaces/guides/catalogue.ts'
import type { FurnishedWorld } from '../support/furnished-world.ts'
import { consentUrl } from '../support/people.ts'

export const partsOfService = ['strangers', 'account', 'bots', 'portal', 'guides'] as const
/** All but the first are for Ada, who is signed in. */
type PartOfService = (typeof partsOfService)[number]

/** Addresses of every page that can be asked for, by what the pages are called here. */
export function everyPage(furnished: FurnishedWorld): Record<PartOfService, Record<string, string>> {
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
      'a link that was used up': `${baseUrl}/reset-password?token=svc_none`,
      'a sign-in link that does not work': consentUrl(world, { ...client, redirectUri: 'https://elsewhere.example/' }),
      'nothing at this address': `${baseUrl}/nowhere`,
      'status of a bot': `${baseUrl}/botstatus/lantern`,
      'status of a bot that is off': `${baseUrl}/botstatus/harbor`,
      'no status to see': `${baseUrl}/botstatus/none`,
      'signed out of the portal': `${portalUrl}/sign-out`,
      'a sign-in of the portal that is not known': `${portalUrl}/callback?state=none&code=none`,
      reference: `${portalUrl}/reference`,
    },
    account: {
      account: `${baseUrl}/account`,
      name: `${baseUrl}/account/name`,
      'e-mail address': `${baseUrl}/account/email`,
      password: `${baseUrl}/account/password`,
      PIN: `${baseUrl}/account/pin`,
      passkeys: `${baseUrl}/account/passkeys`,
      'a passkey': `${baseUrl}/account/passkeys/1`,
      'linked accounts': `${baseUrl}/account/linked`,
      activity: `${baseUrl}/account/activity`,
      unlock: `${baseUrl}/unlock`,
      consent,
      'a link that its owner can mend': consentUrl(world, { ...client, redirectUri: `${client.redirectUri}/` }),
    },
    bots: {
      bots: `${baseUrl}/bots`,
      'a bot': bot,
      'a bot that is off': `${baseUrl}/bots/harbor`,
      'no such bot': `${baseUrl}/bots/none`,
      flows: `${bot}/flows`,
      'no flows': `${baseUrl}/bots/harbor/flows`,
      'a flow with a key': `${bot}/flows/alerts`,
      'a flow without': `${bot}/flows/deploys`,
      'a flow that takes no webhooks': `${bot}/flows/hello`,
      'a new key of a flow': `${bot}/flows/alerts/key`,
      'the end of a key': `${bot}/flows/alerts/keys/2/end`,
      deliveries: `${bot}/deliveries`,
      'no deliveries': `${baseUrl}/bots/harbor/deliveries`,
      'dead letters': `${bot}/deliveries?state=dead`,
      'a webhook that is done': `${bot}/deliveries/${events.done}`,
      'a dead letter': `${bot}/deliveries/${events.dead}`,
      'the end of a dead letter': `${bot}/deliveries/${events.dead}/discard`,
      'all dead letters replayed': `${bot}/dead-letters/replay`,
      'all dead letters discarded': `${bot}/dead-letters/discard`,
      logs: `${bot}/logs`,
      'no logs': `${baseUrl}/bots/harbor/logs`,
      runtimes: `${bot}/runtimes`,
      'a new key of a runtime': `${bot}/runtimes/${runtimeId}/key`,
      'the end of a runtime': `${bot}/runtimes/${runtimeId}/removal`,
      coworkers: `${bot}/coworkers`,
      'a coworker': `${bot}/coworkers/grace`,
      'a coworker goes': `${bot}/coworkers/grace/removal`,
      'a new invitation': `${bot}/invitations/new`,
      'an invitation': furnished.invitation,
      'an invitation that does not work': `${baseUrl}/invitation?token=svc_none`,
    },
    portal: {
      applications: portalUrl,
      'no application like that': `${portalUrl}/?search=none`,
      'a new application': `${portalUrl}/apps/new`,
      'an application in production': `${portalUrl}/apps/acme`,
      'an application with two secrets': application.address,
      'activity of an application': `${application.address}/activity`,
      'another secret': `${application.address}/secret`,
      'a second secret': `${portalUrl}/apps/acme/secrets`,
      'the end of a secret': `${application.address}/secrets/2/revocation`,
      'the end of an application': `${application.address}/deletion`,
      'no such application': `${portalUrl}/apps/none`,
    },
    guides: {
      guides: `${portalUrl}/guides`,
      'parts of guides found': `${portalUrl}/guides?q=refresh%20token`,
      'nothing found': `${portalUrl}/guides?q=none%20such%20part`,
      ...Object.fromEntries(catalogue.map(({ name }) => [`guide ${name}`, `${portalUrl}/guides/${name}`])),
    },
  }
}
