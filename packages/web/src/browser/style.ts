import "../styles/index.css";
