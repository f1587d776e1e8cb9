import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { freshEnvironment, startGatehouse } from '../support/gatehouse-process.ts'
import { Browser, visibleWordsIn } from '../support/people.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('npm run demo prints all URLs, the sign-in and curl commands, and all of them work', async (t) => {
  const folder = temporaryFolder(t)
  const env = await freshEnvironment(t)
  env.CONTROL_URL = `http://localhost:${new URL(env.CONTROL_URL as string).port}`
  const { PORTAL_URL, CONTROL_URL, ...urls } = env
  const ports = { PORTAL_PORT: new URL(PORTAL_URL as string).port, CONTROL_PORT: new URL(CONTROL_URL).port }
  // Settings of a real service are ignored.
  const real = { DATABASE_URL: 'postgres://127.0.0.1:1/none', OPERATOR_KEY: 'o'.repeat(32), SMTP_URL: 'smtp://[::1]:1' }
  const demo = startGatehouse(t, ['run', 'demo'], { ...urls, ...ports, ...real, TMPDIR: folder }, ['npm'])
  await demo.waitForOutput('Ctrl-C stops everything')
  const guide = demo.stdout()
  for (const variable of ['BASE_URL', 'API_URL', 'PORTAL_URL', 'CONTROL_URL']) {
    assert.ok(guide.includes(env[variable] as string), `${variable} in ${guide}`)
  }
  assert.ok(!guide.includes(real.OPERATOR_KEY))
  const directories = () => readdirSync(folder).filter((name) => name.startsWith('gatehouse-demo-'))
  assert.equal(directories().length, 1, 'the data lies in a directory of its own')

  // Every printed curl command works as it is.
  const curls = [...guide.matchAll(/^ {2}(curl .*)$/gm)].map(([, line]) => line as string)
  assert.equal(curls.length, 6)
  for (const line of curls) assert.ok((await asCurl(line)).ok, line)
  await demo.waitForOutput('bot lantern · webhook deploys · attempt 1 · Version 7 is out')
  await demo.waitForOutput('bot lantern · webhook alerts/high · attempt 1 · Disk full')

  // The commands of the quick start create a bot with these variables.
  const guideOfBots = readFileSync(join(import.meta.dirname, '../../docs/quick-start.md'), 'utf8')
  const commands = /```sh\n( *curl -X PUT[\s\S]*?)```/.exec(guideOfBots)?.[1] ?? ''
  const variables = [...guide.matchAll(/^ {2}export .*$/gm)].join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-euc', `${variables}\n${commands}`])
  assert.match(stdout, /"id":"my-bot".*"path":"announcements","requiresKey":true.*"key":"svc_fk_/)

  // So do those that look around.
  const values = { '{api_url}': env.API_URL, '{base_url}': env.BASE_URL, $GATEHOUSE_CONTROL_URL: env.CONTROL_URL }
  const [, block = ''] = /## Look around[\s\S]*?```sh\n([\s\S]*?)```/.exec(guideOfBots) ?? []
  for (const line of block.trim().split('\n')) {
    const url = Object.entries(values).reduce((text, [name, value]) => text.replace(name, value as string), line)
    assert.ok((await asCurl(url.replaceAll('"', ''))).ok, line)
  }

  const after = (label: string) => new RegExp(`^  ${label} +(.+)$`, 'm').exec(guide)?.[1] ?? ''
  const places = { baseUrl: env.BASE_URL as string, portalUrl: env.PORTAL_URL as string }
  const browser = new Browser()
  const home = await browser.get(after('Client application'))
  const signIn = await browser.onward(await browser.submit(home, {}, '/sign-in'), places)
  const credentials = { email: after('Email'), password: after('Password') }
  const pin = await browser.onward(await browser.submit(signIn, credentials, '/sign-in'), places)
  const consent = await browser.onward(await browser.submit(pin, { pin: after('PIN') }, '/unlock'), places)
  const callback = await browser.submit(consent, { decision: 'allow' }, '/auth/consent')
  await browser.get(callback.location as URL)
  const signedIn = await browser.get(home.url)
  for (const told of ['Ada Lovelace', 'ada@example.com', 'Lantern', 'Raise alerts', 'Grace Hopper']) {
    assert.ok(signedIn.text.includes(told), `${told} in ${signedIn.text}`)
  }
  // The demo has a past: what the pictures of the README show.
  const said = async (url: string) => visibleWordsIn(await browser.visit(url, places))
  const dead = await said(`${env.BASE_URL}/bots/lantern/deliveries?state=dead`)
  for (const cause of ['unknown channel ops', 'missing permission to post', 'message is longer than']) {
    assert.ok(dead.includes(cause), cause)
  }
  assert.match(await said(`${env.BASE_URL}/botstatus/lantern`), /Online.*Down for 4 hours.*Last 90 days/s)
  const logs = await said(`${env.PORTAL_URL}/apps/acme/logs`)
  assert.match(logs, /not registered.*code is not known.*client_secret is wrong/s)

  // The printed authorization URL ends at the page with the command that redeems the code.
  const tokens = /^ {2}(http.*\/auth\/consent.*)$/m.exec(guide)?.[1] as string
  const asked = await browser.visit(tokens, places)
  const { location } = await browser.submit(asked, { decision: 'allow' }, '/auth/consent')
  const redeem = /data-testid="redeem">(.*?)</.exec((await browser.get(location as URL)).text)?.[1] ?? ''
  const tokenLine = `${variables}\n${redeem.replaceAll('&quot;', '"')} --fail --silent`
  assert.match((await promisify(execFile)('bash', ['-euc', tokenLine])).stdout, /"access_token":"svc_at_/)

  await browser.post(new URL('/refresh', home.url), new URLSearchParams())
  assert.ok((await browser.get(home.url)).text.includes('Ada Lovelace'))
  await browser.post(new URL('/revoke', home.url), new URLSearchParams())
  assert.ok((await browser.get(home.url)).text.includes('Sign in with Gatehouse'))

  demo.signal('SIGINT')
  assert.equal(await demo.exited, 0)
  assert.deepEqual(directories(), [], 'its data is gone')
})

/** Runs a printed curl command with `fetch`, so that the test does not need curl. */
function asCurl(line: string): Promise<Response> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  const argumentOf = (option: string) => (words.includes(option) ? words[words.indexOf(option) + 1] : undefined)
  const url = words.find((word) => word.startsWith('http')) ?? ''
  const body = argumentOf('-d')
  const [name, value] = argumentOf('-H')?.split(': ') ?? []
  return fetch(url, {
    headers: name === undefined || value === undefined ? {} : { [name]: value },
    ...(body !== undefined && { method: 'POST', body }),
  })
}
