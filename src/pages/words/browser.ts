import { type Words, words } from '../html.ts'

/**
 * Browser names, most specific first, because a browser's `User-Agent` also names the browsers it is derived from.
 */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bCriOS\/|\bChrome\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, { en: string; de: string }])[] = [
  [/\biPhone\b/, { en: 'on an iPhone', de: 'auf einem iPhone' }],
  [/\biPad\b/, { en: 'on an iPad', de: 'auf einem iPad' }],
  [/\bAndroid\b/, { en: 'on Android', de: 'unter Android' }],
  [/\bCrOS\b/, { en: 'on ChromeOS', de: 'unter ChromeOS' }],
  [/\bWindows\b/, { en: 'on Windows', de: 'unter Windows' }],
  [/\bMacintosh\b/, { en: 'on a Mac', de: 'auf einem Mac' }],
  [/\bLinux\b/, { en: 'on Linux', de: 'unter Linux' }],
]

const unknown = words({ en: 'Unknown browser', de: 'Unbekannter Browser' })

/**
 * Describes a `User-Agent` header, such as “Firefox on Windows”. This is a guess that only helps users recognize a
 * session.
 */
export function browserWords(userAgent: string | null): Words {
  if (userAgent === null) return unknown
  const browser = browsers.find(([form]) => form.test(userAgent))?.[1]
  const system = systems.find(([form]) => form.test(userAgent))?.[1]
  if (system === undefined) return browser === undefined ? unknown : words({ en: browser, de: browser })
  return words({ en: `${browser ?? 'A browser'} ${system.en}`, de: `${browser ?? 'Ein Browser'} ${system.de}` })
}
