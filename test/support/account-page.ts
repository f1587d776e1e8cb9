import type { Browser } from './people.ts'
import type { World } from './world.ts'

/** Returns the text of the account page section with this ID, without markup. */
export async function sectionText(world: World, browser: Browser, id: string): Promise<string> {
  const { text } = await browser.get(`${world.baseUrl}/account`)
  const [, inside = ''] = new RegExp(`<section class="card" id="${id}"[^>]*>([\\s\\S]*?)<section class="card"`).exec(
    `${text}<section class="card"`,
  ) ?? ['', '']
  return inside
    .replace(/<svg[\s\S]*?<\/svg>|<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

export async function isSignedIn(world: World, browser: Browser): Promise<boolean> {
  return (await browser.get(`${world.baseUrl}/account`)).status === 200
}
