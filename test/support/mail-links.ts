import type { TestContext } from 'node:test'
import { type MailSink, openMailSink } from './mail-sink.ts'
import { Browser } from './people.ts'
import { openWorld, type World } from './world.ts'

export const newPassword = 'another fine horse'

export async function openWorldWithMail(t: TestContext, env = {}): Promise<{ world: World; sink: MailSink }> {
  const sink = await openMailSink(t)
  const world = await openWorld(t, { SMTP_URL: sink.url, MAIL_FROM: 'Gatehouse <gate@example.com>', ...env })
  sink.clock = world.clock
  return { world, sink }
}

export async function send(world: World, browser: Browser, path: string, fields: Record<string, string>) {
  return browser.submitAt(`${world.baseUrl}${path}`, fields, path)
}

export async function follow(link: string, fields: Record<string, string> = {}, browser = new Browser()) {
  return browser.submitAt(link, fields)
}

export function requestResetLink(world: World, email: string, browser = new Browser()) {
  return send(world, browser, '/forgot-password', { email })
}
