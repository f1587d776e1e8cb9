import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Accounts } from '../../../domain/accounts/accounts.ts'
import { collaboratorRoles, type NamedCollaborator } from '../../../domain/bots/bot.ts'
import { capabilityMay, mayDo } from '../../../domain/bots/bot-access.ts'
import type { Accepter, Invitation } from '../../../domain/bots/invitations.ts'
import { BotRefusal } from '../../../domain/bots/record-rules.ts'
import { parseUserId, type UserId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { SlidingLog } from '../../../domain/limits/sliding-log.ts'
import { button, buttonRow, linkButton, postForm, section, table } from '../../../pages/components/elements.ts'
import { timeUntil, waitWords } from '../../../pages/components/figures.ts'
import { type Filled, form, oneOf, severalOf, textField } from '../../../pages/form.ts'
import { formPage, formPost, question, sendForm, showPage } from '../../../pages/form-routes.ts'
import { type Html, html, type Text, t, type Words } from '../../../pages/html.ts'
import { botsPlace } from '../../../pages/places.ts'
import { capabilityInWords, capabilityWords, roleWords } from '../../../pages/words/bots.ts'
import { type BotPageServices, type BotVisit, botPartPage, botTrail, onBot, onFound, questionIn } from '../bot-pages.ts'
import { botDone, botErrors } from '../words.ts'

export const roleFields = {
  role: oneOf({
    label: t`Role`,
    among: collaboratorRoles
      .toReversed()
      .map((value) => ({ value, label: roleWords[value].name, hint: roleWords[value].may })),
    otherwise: 'viewer',
  }),
  capability: severalOf<string>({
    label: t`Extra permissions`,
    hint: t`In addition to what the role allows.`,
    among: Object.keys(capabilityMay).map((value) => ({
      value,
      label: capabilityWords[value as keyof typeof capabilityWords],
    })),
  }),
}

export const noRole = { role: 'viewer', capability: [] } as const

export const roleForm = form(roleFields)

export const newCoworkerForm = form(
  {
    who: textField({ label: t`Email address or user ID`, autocomplete: 'off', inputmode: 'email', trim: true }),
    ...roleFields,
  },
  { focusesError: true },
)

export type NewCoworker = Filled<ReturnType<typeof newCoworkerForm.read>>

interface CoworkersView extends BotVisit {
  coworkers: readonly NamedCollaborator[]
  invitations: readonly Invitation[]
  filled: Omit<NewCoworker, 'status'>
}

function coworkersPage(view: CoworkersView): Html {
  const { bot, coworkers, filled } = view
  const changes = mayDo(view, 'change-coworkers')
  const { who } = filled.values
  const invitation = `/bots/${bot.id}/invitations/new${who === '' ? '' : `?label=${encodeURIComponent(who)}`}`
  return botPartPage(view, {
    part: 'coworkers',
    ...(filled.errors.length > 0 && { title: t`Collaborator not added` }),
    body: html`${
      coworkers.length === 0
        ? html`<p>${changes ? t`No collaborators yet.` : t`This bot has no collaborators.`}</p>`
        : listOf(view, changes)
    }
${view.invitations.length > 0 && invitationList(view)}
${
  changes &&
  section({
    id: 'add',
    title: t`Add a collaborator`,
    about: html`<p>${t`Enter the user ID or confirmed email address of a user. They get access immediately. For anyone else, create an invitation.`}</p>`,
    body: postForm(
      { action: `/bots/${bot.id}/coworkers`, style: 'card', novalidate: true },
      Object.values(newCoworkerForm.fields(filled)),
      buttonRow(
        button({ label: t`Add collaborator`, tone: 'primary' }),
        linkButton({ label: t`Create invitation`, href: invitation, tone: 'plain' }),
      ),
    ),
  })
}`,
  })
}

function listOf({ bot, coworkers, by }: CoworkersView, changes: boolean): Html {
  const address = (userId: string) => `/bots/${bot.id}/coworkers/${encodeURIComponent(userId)}`
  const ways = ({ userId, name }: NamedCollaborator) => {
    const named = html`<span class="hidden-visually"> ${name}</span>`
    if (changes) {
      return html`<div class="buttons"><a class="button plain small" href="${address(userId)}">${t`Change`}${named}</a><a class="button dangerous small" href="${address(userId)}/removal">${t`Remove`}${named}</a></div>`
    }
    return (
      userId === by.userId &&
      html`<a class="button dangerous small" href="${address(userId)}/removal">${t`Leave bot`}</a>`
    )
  }
  return table({
    caption: t`Collaborators, sorted by name`,
    rows: coworkers,
    columns: [
      { title: t`Person`, cell: ({ userId, name }) => html`${name}<br><code class="soft small">${userId}</code>` },
      { title: t`Role`, cell: ({ role }) => roleWords[role].name },
      {
        title: t`Extra permissions`,
        cell: ({ capabilities }) => html`${capabilities.map((one) => html`<div>${capabilityInWords(one)}</div>`)}`,
      },
      { title: t`Actions`, cell: (coworker) => html`${ways(coworker)}` },
    ],
  })
}

/** Renders a bot's invitations. An accepted one shows the user and the buttons that confirm or decline them. */
function invitationList({ bot, invitations, nowMs }: CoworkersView): Html {
  const actions = ({ number, label, accepter }: Invitation) => {
    const answer = (action: string, does: Words, tone: 'primary' | 'dangerous', user?: Html) => {
      const submit = button({ label: html`${does}<span class="hidden-visually"> ${label}</span>`, tone, small: true })
      return postForm({ action: `/bots/${bot.id}/invitations/${number}/${action}` }, html`${user}${submit}`)
    }
    if (accepter === undefined) return buttonRow(answer('revocation', t`Revoke`, 'dangerous'))
    const user = html`<input type="hidden" name="user" value="${accepter.userId}">`
    return buttonRow(answer('confirmation', t`Confirm`, 'primary', user), answer('revocation', t`Decline`, 'dangerous'))
  }
  return html`<section class="stack" aria-labelledby="invitations"><h2 id="invitations">${t`Invitations`}</h2>
${table({
  caption: t`Open invitations`,
  rows: invitations,
  columns: [
    {
      title: t`For`,
      cell: ({ label, role, capabilities }) =>
        html`${label}<br><span class="soft small">${roleWords[role].name}</span>${capabilities.map((one) => html`<div class="soft small">${capabilityInWords(one)}</div>`)}`,
    },
    {
      title: t`State`,
      cell: ({ accepter, expiresAtMs }) =>
        html`${accepter === undefined ? t`Not accepted yet` : acceptedBy(accepter)}<br><span class="soft small">${t`Expires ${timeUntil(expiresAtMs, nowMs)}`}</span>`,
    },
    { title: t`Actions`, cell: actions },
  ],
})}</section>`
}

/** Renders who accepted an invitation, with the user ID: anyone can sign up with any name and email address. */
function acceptedBy({ userId, name, email, emailVerified }: Accepter): Html {
  const confirmed = emailVerified
    ? html`<span class="soft small">${t`Email confirmed`}</span>`
    : html`<strong class="small">${t`Email not confirmed`}</strong>`
  return html`${t`Accepted by`} <strong>${name}</strong><br>${email === null ? t`No email address` : html`${email}<br>${confirmed}`}<br><code class="soft small">${userId}</code>`
}

export function coworkerRoutes(app: FastifyInstance, services: BotPageServices): void {
  const { records } = services.bots
  // A failed lookup reveals that a person has no account here, so the number of failed lookups per user is limited.
  const misses = new SlidingLog({ limit: limits.unknownCollaboratorsPerHour, windowMs: 3_600_000 })

  showPage(app, '/bots/:botId/coworkers', onBot(services, 'see'), sendCoworkers)

  formPost(app, '/bots/:botId/coworkers', onBot(services, 'change-coworkers'), {
    form: newCoworkerForm,
    errors(error) {
      const { status, errors } = botErrors(error)
      return { status, errors: errors.map(({ message }) => ({ field: 'who', message })) }
    },
    show: sendCoworkers,
    async post(visit, values) {
      const { bot, by, nowMs, request, redirect } = visit
      const refuse = (status: number, message: Text) =>
        sendCoworkers(visit, { values, errors: [{ field: 'who', message }], status })
      if (values.who === '') return refuse(422, t`Enter an email address or a user ID.`)
      const waitMs = misses.waitMs(by.userId, nowMs)
      if (waitMs > 0)
        return refuse(429, t`You entered too many unknown IDs or addresses. Try again in ${waitWords(waitMs)}.`)
      const userId = await findUser(services.accounts, values.who)
      if (userId === undefined) {
        misses.add(by.userId, nowMs)
        return refuse(422, t`No user has this user ID or confirmed email address. Check it, or create an invitation.`)
      }
      if ((await records.findCollaborator(bot.id, userId)) !== undefined)
        return refuse(422, t`This user is already a collaborator. Change their permissions in the list.`)
      const { role, capability: capabilities } = values
      await records.putCollaborator(bot.id, { userId, role, capabilities }, by)
      request.log.info({ bot: bot.id, user: by.userId, coworker: userId, role }, 'coworker added')
      return redirect(`/bots/${bot.id}/coworkers`, botDone.coworkerAdded)
    },
  })

  formPage(app, '/bots/:botId/coworkers/:userId', onCoworker(services, 'change-coworkers'), {
    form: roleForm,
    values: ({ coworker: { role, capabilities } }) => ({ role, capability: capabilities }),
    errors: botErrors,
    show: (visit, filled) =>
      sendForm(visit, roleForm, filled, {
        place: botsPlace,
        width: 'narrow',
        trail: [...botTrail(visit.bot, 'coworkers'), { name: visit.coworker.name }],
        title: t`Permissions of ${visit.coworker.name} for ${visit.bot.name}`,
        heading: t`Permissions of ${visit.coworker.name}`,
        action: `/bots/${visit.bot.id}/coworkers/${encodeURIComponent(visit.coworker.userId)}`,
        submit: t`Save permissions`,
        back: `/bots/${visit.bot.id}/coworkers`,
      }),
    async post({ bot, by, coworker, request, redirect }, { role, capability }) {
      // The form doesn't list the platform's own capabilities, so the change must keep them.
      const kept = coworker.capabilities.filter((one) => !Object.hasOwn(capabilityMay, one))
      const { userId } = coworker
      await records.putCollaborator(bot.id, { userId, role, capabilities: [...capability, ...kept] }, by)
      request.log.info({ bot: bot.id, user: by.userId, coworker: userId, role }, 'coworker changed')
      return redirect(`/bots/${bot.id}/coworkers`, botDone.coworkerChanged)
    },
  })

  // Users who remove themselves are asked whether they leave the bot.
  question(app, '/bots/:botId/coworkers/:userId/removal', onCoworker(services, 'see'), {
    frame: ({ bot }) => questionIn(botTrail(bot, 'coworkers')),
    asks(visit) {
      const { bot, by, coworker } = visit
      demandRemoval(visit, coworker.userId)
      return coworker.userId === by.userId
        ? {
            title: t`Leave ${bot.name}?`,
            effect: [t`You lose access immediately. Only the owner can add you again.`],
            submit: t`Leave bot`,
            cancel: t`Keep access`,
          }
        : {
            title: t`Remove ${coworker.name} from ${bot.name}?`,
            effect: [
              t`${coworker.name} loses access immediately. Applications that use the bot on this user’s behalf lose access, too.`,
            ],
            submit: t`Remove`,
            cancel: t`Keep collaborator`,
          }
    },
    async post(visit) {
      const { bot, by, coworker, request, redirect } = visit
      const { userId } = coworker
      demandRemoval(visit, userId)
      await records.removeCollaborator(bot.id, userId, by)
      request.log.info({ bot: bot.id, user: by.userId, coworker: userId }, 'coworker removed')
      if (userId === by.userId) return redirect('/bots', botDone.left)
      return redirect(`/bots/${bot.id}/coworkers`, botDone.coworkerRemoved)
    },
  })
}

/** Rejects the removal of others by users who may not change collaborators. All can remove themselves. */
function demandRemoval({ bot, by, role, capabilities }: BotVisit, userId: UserId): void {
  if (by.userId === userId || mayDo({ role, capabilities }, 'change-coworkers')) return
  throw new BotRefusal('not-allowed', { detail: `change-coworkers, bot ${bot.id}, user ${by.userId}, ${role}` })
}

const onCoworker = onFound(async ({ services: { bots }, bot, request }) => {
  const { userId } = request.params as { userId: string }
  const coworker = (await bots.records.listCollaborators(bot.id)).find((one) => one.userId === userId)
  return coworker && { coworker }
})

async function findUser(accounts: Accounts, who: string): Promise<UserId | undefined> {
  if (who.includes('@')) return (await accounts.users.findByVerifiedEmail(who))?.id
  const id = parseUserId(who)
  return id && (await accounts.users.find(id))?.id
}

async function sendCoworkers(
  visit: BotVisit,
  { values = { who: '', ...noRole }, errors = [], status }: Partial<NewCoworker> = {},
): Promise<FastifyReply> {
  const { bots } = visit.services
  const coworkers = await bots.records.listCollaborators(visit.bot.id)
  const invitations = mayDo(visit, 'change-coworkers') ? await bots.invitations.list(visit.bot.id) : []
  return visit.send(coworkersPage({ ...visit, coworkers, invitations, filled: { values, errors } }), status)
}
