import type { Browser } from './people.ts'
import type { World } from './world.ts'

/** Returns the text of the account tab with this path, without markup and without the frame. */
export async function partText(world: World, browser: Browser, part: 'sessions' | 'applications'): Promise<string> {
  const { text } = await browser.get(`${world.baseUrl}/account/${part}`)
  const [, inside = ''] = /<nav class="tabs"[\s\S]*?<\/nav>([\s\S]*?)<\/main>/.exec(text) ?? []
  return inside
    .replace(/<svg[\s\S]*?<\/svg>|<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

export async function isSignedIn(world: World, browser: Browser): Promise<boolean> {
  return (await browser.get(`${world.baseUrl}/account`)).status === 200
}
