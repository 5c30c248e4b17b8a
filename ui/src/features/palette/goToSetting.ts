import { editorId } from "../settings/Field";

/** So many frames are waited for a page of the settings: it is loaded when it is first shown. */
const MAX_FRAMES = 180;

/** Shows a setting on its page, and gives it the focus. */
export function goToSetting(group: string, key: string): void {
  window.location.hash = `/settings/${group}`;
  let frames = 0;
  const look = () => {
    const editor = document.getElementById(editorId(key));
    if (editor) {
      editor.focus();
      editor.scrollIntoView({ block: "center" });
      return;
    }
    frames += 1;
    if (frames < MAX_FRAMES) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
