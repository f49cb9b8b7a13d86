export const words = {
  about: "How this project stands.",
  projects: "Projects",
  projectsAbout: "All that this server looks after.",
  users: "Users",
  events: "Events in 7 days",
  campaigns: "Running campaigns",
  withheld: "Withheld deliveries",
  begin: "Put Tidings on your pages",
  beginAbout:
    "Put in your own id of the user in place of ada. From then on the user is known, what they do is recorded, and campaigns reach them.",
  snippet: "Lines for your pages",
  noKey:
    "This project has no publishable key. Make one on the server: npx tidings key rotate --kind publishable",
  none: "There is no project yet. Make one on the server: npx tidings project create --name N",
  demo: "made by the demo",
} as const;
