import type { FastifyInstance } from 'fastify'
import { eventTypes } from '../../domain/subscriptions/outgoing-event.ts'
import type { Mount } from '../../http/new-app.ts'
import { languageOf } from '../../http/request-origin.ts'
import { confirmEmailFirst } from '../../pages/account-form.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { checkBox, form, oneOf, severalOf, textField } from '../../pages/form.ts'
import { done } from '../../pages/form-posts.ts'
import { formPage, formPost, question, sendForm, showPage } from '../../pages/form-routes.ts'
import { html, t } from '../../pages/html.ts'
import { accountPlace } from '../../pages/places.ts'
import { eventIn, sendEvent, sendSubscription } from './subscription-page.ts'
import {
  eventTypeWords,
  formatWords,
  listAddress,
  listTrail,
  onSubscription,
  type SubscriptionVisit,
  sendList,
  subscriptionErrors,
} from './subscriptions.ts'

export function subscriptionsSurface(services: AccountServices): Mount {
  const { events, guard, clock, portalUrl } = services
  return (app) => {
    showPage(app, listAddress, guard.signedIn, async (visit) => {
      const subscriptions = await events.subscriptions.listOwned(visit.by.userId)
      return sendList(visit, subscriptions, { nowMs: clock.nowMs(), portalUrl })
    })
    showPage(app, `${listAddress}/:id`, onSubscription(services), sendSubscription)
    subscriptionForms(app, services)
    eventRoutes(app, services)
  }
}

const tested = done(t`Test event queued. The log shows the response.`)
const replayed = done(t`Event replayed.`)

function eventRoutes(app: FastifyInstance, services: AccountServices): void {
  const { subscriptions, log } = services.events

  formPost(
    app,
    `${listAddress}/:id/test`,
    onSubscription(services, { page: ({ url }) => url.replace(/\/test$/, '') }),
    {
      errors: subscriptionErrors,
      show: sendSubscription,
      async post({ by, subscription, redirect, address }) {
        await subscriptions.test(by, subscription.id)
        return redirect(address, tested)
      },
    },
  )

  showPage(app, `${listAddress}/:id/events/:event`, onSubscription(services), sendEvent)

  formPost(
    app,
    `${listAddress}/:id/events/:event/replay`,
    onSubscription(services, { page: ({ url }) => url.replace(/\/replay$/, '') }),
    {
      errors: subscriptionErrors,
      show: sendEvent,
      async post(visit) {
        const replay = await log.replay(visit.by, visit.subscription.id, eventIn(visit))
        return visit.redirect(`${visit.address}/events/${replay}`, replayed)
      },
    },
  )
}

const fields = {
  url: textField({
    label: t`Endpoint URL`,
    hint: t`Receives POST requests, and responds with 2xx within 10 seconds. Unless the operator allows others, it must use https:// and lead to a public address.`,
    type: 'url',
    inputmode: 'url',
    autocomplete: 'off',
    code: true,
  }),
  format: oneOf({
    label: t`Format`,
    among: [
      { value: 'standard', label: formatWords.standard, hint: t`Signed events as JSON, for programs.` },
      {
        value: 'discord',
        label: formatWords.discord,
        hint: t`Readable messages to the URL of a webhook that you create in the settings of a Discord channel.`,
      },
      {
        value: 'slack',
        label: formatWords.slack,
        hint: t`Readable messages to the URL of an incoming webhook of a Slack app, or of a program that accepts the same form.`,
      },
    ],
    otherwise: 'standard',
  }),
  types: severalOf({
    label: t`Events`,
    among: eventTypes.map((value) => ({
      value,
      label: eventTypeWords[value].name,
      hint: html`<code>${value}</code><br>${eventTypeWords[value].hint}`,
    })),
  }),
}

const newForm = form(fields)
const editForm = form({
  ...fields,
  enabled: checkBox({
    label: t`Delivery`,
    box: { label: t`Send events`, hint: t`If not selected, new events are discarded.` },
  }),
})

const saved = done(t`Subscription saved.`)
const removed = done(t`Subscription removed.`)

function subscriptionForms(app: FastifyInstance, services: AccountServices): void {
  const { subscriptions } = services.events
  const frame = ({ subscription: { url }, address }: SubscriptionVisit) => ({
    place: accountPlace,
    width: 'narrow' as const,
    trail: [...listTrail, { name: url, href: address }],
  })

  formPage(
    app,
    { get: `${listAddress}/new`, post: listAddress },
    (work) => services.guard.signedIn(work, { page: () => `${listAddress}/new` }),
    {
      form: newForm,
      values: () => ({ url: '', format: 'standard' as const, types: [] }),
      errors: subscriptionErrors,
      async show(visit, filled) {
        const confirmFirst = filled.status === 200 && (await services.accounts.users.mustConfirmEmail(visit.by.userId))
        const errors = confirmFirst ? [{ message: confirmEmailFirst }] : filled.errors
        const title = t`Add a subscription`
        const shown = { ...filled, errors }
        return sendForm(visit, newForm, shown, {
          place: accountPlace,
          trail: [...listTrail, { name: title }],
          canonical: `${listAddress}/new`,
          title,
          action: listAddress,
          submit: t`Add subscription`,
          back: listAddress,
        })
      },
      async post(visit, values) {
        const { by, request, reply } = visit
        const form = { ...values, language: languageOf(request) }
        const { subscription, clearTextSecret } = await subscriptions.create(by, form)
        request.log.info({ user: by.userId, subscription: subscription.id }, 'subscription created')
        const address = `${listAddress}/${subscription.id}`
        reply.header('location', address)
        return sendSubscription({ ...visit, services, subscription, address }, { status: 201, clearTextSecret })
      },
    },
  )

  formPage(
    app,
    { get: `${listAddress}/:id/edit`, post: `${listAddress}/:id` },
    onSubscription(services, { page: ({ url }) => `${url}/edit` }),
    {
      form: editForm,
      values: ({ subscription: { url, format, types, disabledBecause } }) => ({
        url,
        format,
        types,
        enabled: disabledBecause === null,
      }),
      errors: subscriptionErrors,
      show(visit, filled) {
        const title = t`Edit subscription`
        const { address, subscription } = visit
        return sendForm(visit, editForm, filled, {
          place: accountPlace,
          trail: [...listTrail, { name: subscription.url, href: address }, { name: title }],
          canonical: `${address}/edit`,
          title,
          action: address,
          submit: t`Save changes`,
          back: address,
        })
      },
      async post({ by, subscription: { id }, request, redirect, address }, values) {
        await subscriptions.change(by, id, { ...values, language: languageOf(request) })
        request.log.info({ user: by.userId, subscription: id }, 'subscription changed')
        return redirect(address, saved)
      },
    },
  )

  question(app, `${listAddress}/:id/secret`, onSubscription(services), {
    frame,
    asks: ({ subscription: { url, previousSecretEndsAtMs: endsAtMs } }) => ({
      title: t`Rotate the signing secret?`,
      effect: [
        html`<code>${url}</code>`,
        t`For 24 hours, requests are signed with both secrets. Switch your server to the new secret in that time.`,
        endsAtMs !== null && t`The previous secret, which was about to expire, stops signing immediately.`,
      ],
      submit: t`Rotate secret`,
    }),
    async post(visit) {
      const { by, request } = visit
      const { subscription, clearTextSecret } = await subscriptions.rotateSecret(by, visit.subscription.id)
      request.log.info({ user: by.userId, subscription: subscription.id }, 'signing secret rotated')
      return sendSubscription({ ...visit, subscription }, { clearTextSecret })
    },
  })

  question(app, `${listAddress}/:id/removal`, onSubscription(services), {
    frame,
    asks: ({ subscription: { url } }) => ({
      title: t`Remove this subscription?`,
      effect: [html`<code>${url}</code>`, t`Its waiting events and its log are deleted. This can’t be undone.`],
      submit: t`Remove subscription`,
    }),
    async post({ by, subscription: { id }, request, redirect }) {
      await subscriptions.remove(by, id)
      request.log.info({ user: by.userId, subscription: id }, 'subscription removed')
      return redirect(listAddress, removed)
    },
  })
}
